"""`serq lsp`: the language server."""

from __future__ import annotations

from importlib.util import find_spec

import click

from serq.cli.output import FAILED, report_failure

EPILOG = """\b
Editors start it themselves: docs/editors.md says how, for VS Code, Neovim, Helix and Emacs."""


@click.command("lsp", epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Answer an editor on standard input and output, by the Language Server Protocol.

    Faults as one types, what names mean and when they exist, completion, definitions, references, renaming, layout.
    Needs an optional part of the installation: pip install 'serq[lsp]'
    """
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        message = "the language server needs a part that is not installed: pip install 'serq[lsp]'"
        ctx.exit(report_failure(message, FAILED))
    # Here because it takes a third of a second to load, and only if it is installed.
    from serq.lsp.server import serve

    ctx.exit(0 if serve() else FAILED)
