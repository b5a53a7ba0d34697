"""The language server: `Document`s behind the Language Server Protocol, over standard input and output.

The only module that needs pygls. It converts: positions to offsets, records to the protocol's, refusals to messages.
Texts are exchanged whole. Faults are looked for a moment after the last change, so that typing does not wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from serq.diagnostics import SerqError
from serq.lsp.checks import ERROR, WARNING, Remark
from serq.lsp.colours import KINDS, MODIFIERS
from serq.lsp.document import Document
from serq.lsp.outline import Entry
from serq.lsp.positions import Positions
from serq.lsp.proposals import Completion
from serq.source import Span
from serq.version import __version__

PAUSE = 0.03
"""Seconds after a change before its faults are looked for."""

LEVELS = {ERROR: types.DiagnosticSeverity.Error, WARNING: types.DiagnosticSeverity.Warning}

COMPLETION_KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "function": types.CompletionItemKind.Function,
    "definition": types.CompletionItemKind.Function,
    "time resource": types.CompletionItemKind.Function,
    "entry": types.CompletionItemKind.Method,
    "constant": types.CompletionItemKind.Constant,
    "argument": types.CompletionItemKind.Constant,
    "attribute": types.CompletionItemKind.Field,
    "binding": types.CompletionItemKind.Field,
    "register": types.CompletionItemKind.Field,
    "library": types.CompletionItemKind.Module,
    "engine": types.CompletionItemKind.Class,
    "pool": types.CompletionItemKind.Class,
    "stage": types.CompletionItemKind.Class,
    "device": types.CompletionItemKind.Class,
    "queue": types.CompletionItemKind.Class,
}

SYMBOL_KINDS = {
    "constant": types.SymbolKind.Constant,
    "definition": types.SymbolKind.Function,
    "time resource": types.SymbolKind.Function,
    "request": types.SymbolKind.Method,
    "schedule": types.SymbolKind.Method,
    "entry": types.SymbolKind.Method,
    "block": types.SymbolKind.Method,
    "register": types.SymbolKind.Field,
    "capacity": types.SymbolKind.Field,
    "gauge": types.SymbolKind.Event,
    "claim": types.SymbolKind.Event,
    "workload": types.SymbolKind.Namespace,
    "server": types.SymbolKind.Namespace,
}


class SerqProtocol(LanguageServerProtocol):
    """The protocol, in which every request is answered: also one that is malformed, or that comes too late."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        if self._shutdown and isinstance(getattr(message, "id", None), int | str) and hasattr(message, "method"):
            code = types.ErrorCodes.InvalidRequest.value
            self._send_response(
                message.id, error=JsonRpcException("the server has shut down", code).to_response_error()
            )
            return
        super().handle_message(message)


class SerqServer(LanguageServer):
    """The server with its open texts.

    Attributes:
        documents: by address.
        places: their positions.
        waiting: for each text whose faults are still to be looked for, what will do it.
        is_done: the editor has said that it needs nothing more.
    """

    def __init__(self) -> None:
        whole = types.TextDocumentSyncKind.Full
        super().__init__("serq", __version__, text_document_sync_kind=whole, protocol_cls=SerqProtocol)
        self.is_done = False
        self.documents: dict[str, Document] = {}
        self.places: dict[str, Positions] = {}
        self.waiting: dict[str, asyncio.TimerHandle] = {}

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Keep what cannot be understood off the editor's screen: it goes to standard error."""
        logging.getLogger("serq.lsp").error("%s", error)

    def put(self, uri: str, text: str) -> None:
        """Take a new text, and look for its faults soon."""
        self.documents[uri] = Document(text, self.documents.get(uri))
        self.places[uri] = Positions(text, self.encoding)
        self.forget(uri)
        self.waiting[uri] = asyncio.get_running_loop().call_later(PAUSE, self.publish, uri)

    def drop(self, uri: str) -> None:
        """Close a text: nothing is known, and nothing shown, of it any more."""
        self.forget(uri)
        self.documents.pop(uri, None)
        self.places.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def forget(self, uri: str) -> None:
        handle = self.waiting.pop(uri, None)
        if handle is not None:
            handle.cancel()

    @property
    def encoding(self) -> str:
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding) or "utf-16")

    def publish(self, uri: str) -> None:
        """Tell the editor what is wrong with a text."""
        self.waiting.pop(uri, None)
        document = self.documents.get(uri)
        if document is not None:
            found = [self.diagnostic(uri, remark) for remark in document.remarks()]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    # ------------------------------------------------------------ conversions

    def offset(self, params: Any) -> tuple[Document, int] | None:
        """The text that a request is about, and the offset in it; None if it is not open."""
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return None
        position = params.position
        return document, self.places[params.text_document.uri].offset(position.line, position.character)

    def range(self, uri: str, span: Span) -> types.Range:
        places = self.places[uri]
        start, end = places.position(span.start), places.position(span.end)
        return types.Range(types.Position(*start), types.Position(*end))

    def diagnostic(self, uri: str, remark: Remark) -> types.Diagnostic:
        labels = [
            types.DiagnosticRelatedInformation(types.Location(uri, self.range(uri, label.span)), label.text)
            for label in remark.labels
        ]
        return types.Diagnostic(
            range=self.range(uri, remark.span),
            message=remark.message if remark.hint is None else f"{remark.message}\n{remark.hint}",
            severity=LEVELS.get(remark.level, types.DiagnosticSeverity.Hint),
            code=remark.code,
            source="serq",
            tags=[types.DiagnosticTag.Unnecessary] if remark.code == "unread" else None,
            related_information=labels or None,
            data=remark.fix,
        )

    def item(self, uri: str, completion: Completion, word: types.Range) -> types.CompletionItem:
        capabilities = self.client_capabilities.text_document
        support = capabilities.completion.completion_item if capabilities and capabilities.completion else None
        snippet = completion.snippet and bool(support and support.snippet_support)
        text = completion.insert if snippet or not completion.snippet else completion.label
        return types.CompletionItem(
            label=completion.label,
            kind=COMPLETION_KINDS.get(completion.kind, types.CompletionItemKind.Variable),
            detail=completion.detail or None,
            documentation=markdown(completion.text) if completion.text else None,
            text_edit=types.TextEdit(word, text),
            insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
            sort_text=f"{completion.rank}{completion.label}",
        )

    def symbol(self, uri: str, entry: Entry) -> types.DocumentSymbol:
        return types.DocumentSymbol(
            name=entry.name,
            detail=entry.kind,
            kind=SYMBOL_KINDS.get(entry.kind, types.SymbolKind.Class),
            range=self.range(uri, entry.whole),
            selection_range=self.range(uri, entry.word),
            children=[self.symbol(uri, inner) for inner in entry.inner],
        )


def markdown(text: str) -> types.MarkupContent:
    return types.MarkupContent(types.MarkupKind.Markdown, text)


def make_server() -> SerqServer:
    """The server with everything that it answers."""
    server = SerqServer()

    @server.feature(types.SHUTDOWN)
    def shut_down(*_: Any) -> None:
        server.is_done = True

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.put(params.text_document.uri, params.text_document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.put(params.text_document.uri, server.workspace.get_text_document(params.text_document.uri).source)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.drop(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        place = server.offset(params)
        found = None if place is None else place[0].hover(place[1])
        if found is None:
            return None
        return types.Hover(markdown(found.text), server.range(params.text_document.uri, found.span))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "~", '"']))
    def complete(params: types.CompletionParams) -> types.CompletionList:
        place = server.offset(params)
        if place is None:
            return types.CompletionList(False, [])
        uri = params.text_document.uri
        word, found = place[0].complete(place[1])
        where = server.range(uri, word)
        return types.CompletionList(False, [server.item(uri, completion, where) for completion in found])

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> list[types.Location]:
        return locations(params, place[0].definition(place[1]) if (place := server.offset(params)) else [])

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        place = server.offset(params)
        if place is None:
            return []
        return locations(params, place[0].references(place[1], declarations=params.context.include_declaration))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        place = server.offset(params)
        found = [] if place is None else place[0].references(place[1])
        return [types.DocumentHighlight(server.range(params.text_document.uri, span)) for span in found]

    def locations(params: Any, spans: list[Span]) -> list[types.Location]:
        uri = params.text_document.uri
        return [types.Location(uri, server.range(uri, span)) for span in spans]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.Range | None:
        place = server.offset(params)
        span = None if place is None else place[0].rename_place(place[1])
        return None if span is None else server.range(params.text_document.uri, span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        place = server.offset(params)
        if place is None:
            return None
        uri = params.text_document.uri
        try:
            spans = place[0].rename(place[1], params.new_name)
        except SerqError as error:
            raise JsonRpcException(error.message, types.LSPErrorCodes.RequestFailed.value) from None
        return types.WorkspaceEdit({uri: [types.TextEdit(server.range(uri, span), params.new_name) for span in spans]})

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        new = None if document is None else document.formatted()
        if document is None or new is None:
            return None
        span, text = changed_part(document.text, new)
        return [] if new == document.text else [types.TextEdit(server.range(uri, span), text)]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        return [] if document is None else [server.symbol(uri, entry) for entry in document.outline()]

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folds(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        found = [] if document is None else [server.range(uri, span) for span in document.folds()]
        return [types.FoldingRange(each.start.line, each.end.line - 1) for each in found]

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signature(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        place = server.offset(params)
        found = None if place is None else place[0].signature(place[1])
        if found is None:
            return None
        parameters = [types.ParameterInformation(name) for name in found.parameters]
        shown = types.SignatureInformation(found.label, markdown(found.text), parameters)
        return types.SignatureHelp([shown], 0, found.active)

    legend = types.SemanticTokensLegend(list(KINDS), list(MODIFIERS))

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def semantic_tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        uri = params.text_document.uri
        document = server.documents.get(uri)
        data: list[int] = []
        line = character = 0
        for colour in [] if document is None else document.colours():
            start = server.places[uri].position(colour.span.start)
            length = server.places[uri].units(server.documents[uri].text[slice(*colour.span)])
            ahead = start.character - (character if start.line == line else 0)
            data += [start.line - line, ahead, length, colour.kind, colour.modifiers]
            line, character = start
        return types.SemanticTokens(data)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        found = []
        for fault in params.context.diagnostics:
            if isinstance(fault.data, str):
                edit = types.WorkspaceEdit({uri: [types.TextEdit(fault.range, fault.data)]})
                title = f"Write `{fault.data}`"
                found.append(types.CodeAction(title, types.CodeActionKind.QuickFix, [fault], True, edit=edit))
        return found

    return server


def changed_part(old: str, new: str) -> tuple[Span, str]:
    """The part of a text that another one replaces: what is between their common beginning and end."""
    start = 0
    least = min(len(old), len(new))
    while start < least and old[start] == new[start]:
        start += 1
    after = 0
    while after < least - start and old[-1 - after] == new[-1 - after]:
        after += 1
    return Span(start, len(old) - after), new[start : len(new) - after]


def serve() -> bool:
    """Answer an editor on standard input and output until it exits or is gone; whether it has said so before."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = make_server()
    with contextlib.suppress(BrokenPipeError):
        server.start_io()
    return server.is_done
