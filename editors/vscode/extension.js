// Starts `serq lsp` for open programs. Without the client library (npm install) only the colours are there.
let client;

exports.activate = async function () {
  const { window, workspace } = require("vscode");
  let library;
  try {
    library = require("vscode-languageclient/node");
  } catch {
    window.showInformationMessage("serq: run `npm install` in the extension's folder for faults, meanings and completion.");
    return;
  }
  const command = workspace.getConfiguration("serq").get("command") || "serq";
  const server = { command, args: ["lsp"], transport: library.TransportKind.stdio };
  client = new library.LanguageClient("serq", "serq", server, { documentSelector: [{ language: "serq" }] });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`serq: \`${command} lsp\` does not start (${error.message}). The setting serq.command names the command; pip install 'serq[lsp]' installs its part.`);
  }
};

exports.deactivate = function () {
  return client && client.stop();
};
