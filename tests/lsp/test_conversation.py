"""The language server, spoken to as an editor does."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.cli.serq_command import ROOT
from tests.lsp.client import PATIENCE, Client, conversation, place

pytest.importorskip("pygls")

ENGINE = (ROOT / "docs/tutorial/programs/05-engine.sq").read_text()
URI = "file:///programs/engine.sq"
OTHER = "untitled:Untitled-1"
OPTIONS = {"tabSize": 4, "insertSpaces": True}
SMALL = "fn main() {\n  let a = 1;\n  let b = a + a;\n  gauge g = b;\n}\n"


@pytest.fixture
def client() -> Iterator[Client]:
    with conversation() as client:
        client.start()
        yield client


def test_capabilities() -> None:
    """The server says what it can do, counts in UTF-16, and takes whole texts."""
    with conversation() as client:
        can = client.start()
        assert can["positionEncoding"] == "utf-16"
        assert can["textDocumentSync"]["change"] == 1
        for what in "hover completion definition references rename documentFormatting documentSymbol".split():
            assert can[f"{what}Provider"], what
        assert client.stop() == 0


def test_faults(client: Client) -> None:
    """Faults are told when a text is opened and after each change, with place, sentence, help and kind."""
    assert client.open(URI, ENGINE) == []
    client.change(URI, ENGINE.replace("drop kv", "drop kw"))
    (fault,) = client.published(URI)
    line, character = place(ENGINE, "drop kv")
    assert fault["range"]["start"] == {"line": line, "character": character - 2}
    assert fault["range"]["end"] == {"line": line, "character": character}
    assert fault["severity"] == 1
    assert fault["source"] == "serq"
    assert "`kw`" in fault["message"]
    assert fault["message"].endswith("did you mean `kv`?")
    client.change(URI, ENGINE, 3)
    assert client.published(URI) == []


def test_fix(client: Client) -> None:
    """Where a fault names what was meant, the editor is offered to write it."""
    faults = client.open(URI, ENGINE.replace("drop kv", "drop kw"))
    params = {"textDocument": {"uri": URI}, "range": faults[0]["range"], "context": {"diagnostics": faults}}
    (action,) = client.result("textDocument/codeAction", params)
    assert action["title"] == "Write `kv`"
    assert action["edit"]["changes"][URI] == [{"range": faults[0]["range"], "newText": "kv"}]


def test_only_the_last_change_counts(client: Client) -> None:
    """Changes that follow at once are looked at together; the faults told last are those of the last text."""
    client.open(URI, SMALL)
    for version in range(2, 30):
        client.change(URI, SMALL + "x" * version, version)
    client.change(URI, SMALL, 30)
    assert client.at("textDocument/hover", URI, 1, 6)
    told = [client.published(URI)]
    while told[-1]:
        told.append(client.published(URI))
    assert len(told) < 10


def test_hover(client: Client) -> None:
    """A name is explained: what the program declares, what the language supplies and when it exists."""
    client.open(URI, ENGINE)
    constant = client.at("textDocument/hover", URI, *place(ENGINE, "floor((prompt - 1) / bs", 1))
    assert "let bs = 16;" in constant["contents"]["value"]
    assert "tokens in a KV block" in constant["contents"]["value"]
    value = client.at("textDocument/hover", URI, *place(ENGINE, "batch.kv_decode", 2))
    assert "Exists in: `execute`" in value["contents"]["value"]
    word = client.at("textDocument/hover", URI, *place(ENGINE, "evict", 1))
    assert "Which cached entry goes first" in word["contents"]["value"]
    assert client.at("textDocument/hover", URI, *place(ENGINE, "2048")) is None


def test_completion(client: Client) -> None:
    """What is proposed fits the place, and replaces the word being typed."""
    text = ENGINE.replace("evict lru;", "ev")
    client.open(URI, text)
    line, character = place(text, "block bs; ev")
    items = client.at("textDocument/completion", URI, line, character)["items"]
    assert {item["label"] for item in items} == {"block", "cap", "evict", "preempt", "queue", "reserve", "spill"}
    (evict,) = [item for item in items if item["label"] == "evict"]
    start = {"line": line, "character": character - 2}
    assert evict["textEdit"] == {
        "range": {"start": start, "end": {"line": line, "character": character}},
        "newText": "evict",
    }


def test_snippets() -> None:
    """A client that fills in snippets gets them."""
    with conversation() as client:
        client.start(textDocument={"completion": {"completionItem": {"snippetSupport": True}}})
        text = ENGINE.replace("init { set K = 0; }", "init {  }")
        client.open(URI, text)
        items = client.at("textDocument/completion", URI, *place(text, "init { "))["items"]
        (item,) = [item for item in items if item["label"] == "set"]
        assert item["textEdit"]["newText"] == "set ${1:name} = ${2:expr};"
        assert item["insertTextFormat"] == 2


def test_definition_and_references(client: Client) -> None:
    """From a use to the declaration, and to all places."""
    client.open(URI, ENGINE)
    found = client.at("textDocument/definition", URI, *place(ENGINE, "hbm(batch", 6))
    line, character = place(ENGINE, "hbm (k)", 4)
    assert [each["range"]["start"] for each in found] == [{"line": line, "character": character - 3}]
    found = client.at("textDocument/references", URI, *place(ENGINE, "set K", 1), context={"includeDeclaration": True})
    assert len(found) == 4
    assert all(each["uri"] == URI for each in found)
    highlighted = client.at("textDocument/documentHighlight", URI, *place(ENGINE, "set K", 1))
    assert [each["range"] for each in highlighted] == [each["range"] for each in found]


def test_rename(client: Client) -> None:
    """All places are renamed, or a sentence says why not."""
    client.open(URI, SMALL)
    where = client.at("textDocument/prepareRename", URI, 2, 10)
    assert where == {"start": {"line": 2, "character": 10}, "end": {"line": 2, "character": 11}}
    edit = client.at("textDocument/rename", URI, 2, 10, newName="first")
    edits = edit["changes"][URI]
    assert [(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in edits] == [
        (1, 6),
        (2, 10),
        (2, 14),
    ]
    position = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 10}}
    for name, why in (("b", "has a `b` already"), ("1x", "is no name"), ("now", "means something in the language")):
        error = client.ask("textDocument/rename", {**position, "newName": name})["error"]
        assert why in error["message"]


def test_formatting(client: Client) -> None:
    """The text is laid out by an edit; one that does not parse is left alone."""
    client.open(URI, SMALL.replace("a + a", "a+a"))
    edits = client.result("textDocument/formatting", {"textDocument": {"uri": URI}, "options": OPTIONS})
    assert edits == [
        {
            "range": {"start": {"line": 2, "character": 11}, "end": {"line": 2, "character": 12}},
            "newText": " + ",
        }
    ]
    client.change(URI, "fn main() { let = ; }")
    assert client.published(URI)
    assert client.result("textDocument/formatting", {"textDocument": {"uri": URI}, "options": OPTIONS}) is None


def test_outline_and_folds(client: Client) -> None:
    """The outline shows what is declared, one within the other; braces on several lines fold."""
    client.open(URI, ENGINE)
    entries = client.result("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    (engine,) = [entry for entry in entries if entry["name"] == "llm"]
    assert [inner["name"] for inner in engine["children"]] == ["reqs", "request", "schedule"]
    folds = client.result("textDocument/foldingRange", {"textDocument": {"uri": URI}})
    assert place(ENGINE, "engine llm on gpu {")[0] in [fold["startLine"] for fold in folds]


def test_signature(client: Client) -> None:
    """Within a call its parameters are shown, and which one is being typed."""
    client.open(URI, ENGINE)
    shown = client.at("textDocument/signatureHelp", URI, *place(ENGINE, "~uniform(1000, "))
    assert shown["signatures"][0]["label"] == "~uniform(LOW, HIGH)"
    assert shown["activeParameter"] == 1


def test_colours(client: Client) -> None:
    """Words are coloured by meaning: five numbers each, places relative to the one before."""
    client.open(URI, SMALL)
    data = client.result("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})["data"]
    assert data[:10] == [0, 0, 2, 0, 0, 0, 3, 4, 0, 0]
    assert len(data) % 5 == 0


def test_characters_of_two_units(client: Client) -> None:
    """Places count UTF-16 units: a character beyond the basic plane counts two."""
    text = "fn main() {\n  /* \U0001f600\U0001f600 */ let längd = 1; gauge g = längd + wrong;\n}\n"
    (fault,) = client.open(URI, text)
    line, character = place(text, "wrong")
    assert fault["range"] == {
        "start": {"line": line, "character": character - 5},
        "end": {"line": line, "character": character},
    }
    assert "let längd = 1;" in client.at("textDocument/hover", URI, *place(text, "gauge g = l"))["contents"]["value"]


def test_other_encoding() -> None:
    """A client that prefers to count otherwise is followed."""
    with conversation() as client:
        can = client.start(general={"positionEncodings": ["utf-8", "utf-16"]})
        assert can["positionEncoding"] == "utf-8"
        (fault,) = client.open(URI, "fn main() { /* \U0001f600 */ wrong }")
        assert fault["range"]["start"]["character"] == len("fn main() { /* \U0001f600 */ ".encode())


def test_several_texts(client: Client) -> None:
    """Texts are kept apart, whatever their addresses; a closed one has no faults and no answers."""
    assert client.open(URI, "fn main() { wrong }")
    assert client.open(OTHER, SMALL) == []
    assert client.at("textDocument/hover", OTHER, 2, 10)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert client.published(URI) == []
    assert client.at("textDocument/hover", URI, 0, 0) is None
    assert client.at("textDocument/completion", URI, 0, 0)["items"] == []
    assert client.at("textDocument/definition", URI, 0, 0) == []
    assert client.at("textDocument/hover", "inmemory://never/opened", 0, 0) is None
    assert client.open(URI, SMALL) == []


def test_places_beyond_the_text(client: Client) -> None:
    """A place behind a line's end or the text's is that end."""
    client.open(URI, SMALL)
    assert client.at("textDocument/hover", URI, 1, 999) is None
    assert client.at("textDocument/hover", URI, 999, 0) is None
    assert client.at("textDocument/completion", URI, 999, 999)["items"] == []


def test_without_shutdown() -> None:
    """An editor that exits without saying so before is left with code 1, at once."""
    with conversation() as client:
        client.start()
        client.notify("exit")
        assert client.process.wait(PATIENCE) == 1


def test_standard_input_closed() -> None:
    """A server whose editor is gone ends."""
    with conversation() as client:
        client.start()
        assert client.process.stdin is not None
        client.process.stdin.close()
        client.process.wait(PATIENCE)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"Content-Length: 9\r\n\r\n{not json",
        b"Content-Length: 2\r\n\r\n[]",
        b'Content-Length: 17\r\n\r\n{"jsonrpc": "2.0"',
        b"Content-Length: many\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ],
)
def test_rubbish(rubbish: bytes) -> None:
    """A message that is none is passed over, and the next is answered."""
    with conversation() as client:
        client.start()
        client.send_bytes(b"", head=rubbish)
        assert client.open(URI, SMALL) == []
        assert client.stop() == 0


def test_unknown_request(client: Client) -> None:
    """A request that the server does not know is refused, and it goes on."""
    assert client.ask("textDocument/doesNotExist")["error"]["code"] == -32601
    assert client.open(URI, SMALL) == []


def test_malformed_request(client: Client) -> None:
    """A request whose parameters are not what they must be is refused, and not left without an answer."""
    assert client.ask("textDocument/formatting", {"textDocument": {"uri": URI}})["error"]["code"] == -32602
    assert client.open(URI, SMALL) == []


def test_too_late(client: Client) -> None:
    """So is a request after the end has been announced."""
    assert client.result("shutdown") is None
    assert client.ask("textDocument/hover", {})["error"]["code"] in (-32600, -32602)
    client.notify("exit")
    assert client.process.wait(PATIENCE) == 0


def test_cut_off() -> None:
    """A message that ends too early ends the conversation."""
    with conversation() as client:
        client.start()
        assert client.process.stdin is not None
        client.process.stdin.write(b"Content-Length: 1000\r\n\r\n" + json.dumps({"jsonrpc": "2.0"}).encode())
        client.process.stdin.close()
        client.process.wait(PATIENCE)
