"""The layout itself: each case is a text, and the text that it becomes."""

from __future__ import annotations

import pytest

from tests.fmt.checks import check

LONG = "a_name_of_some_length"

HOLD = f"""\
fn main() {{ server {{ hold {LONG} (cost({LONG}, 16)), b (cost(b, 32)) reuse (cost({LONG}, 3))
{{ drop p; }} cache (cost({LONG}, 4)) lease {LONG} ({LONG}); }} }}"""

CASES = {
    "blanks": (
        "fn  main( ){stage   s:fifo( 2 ) ;let x=-3*( 1+2 )^-n ;server{run s( cost ( s,~ exp(1) ) );}}",
        "fn main() { stage s : fifo(2); let x = -3 * (1 + 2) ^ -n; server { run s (cost(s, ~exp(1))); } }\n",
    ),
    "a statement a line": (
        "let a = 1; let b = 2;\nfn main() { server {\nfork { drop p; } join; hold p (1) { } hold q (2) { };\n} }",
        """\
let a = 1;
let b = 2;
fn main() {
  server {
    fork { drop p; }
    join;
    hold p (1) { }
    hold q (2) { };
  }
}
""",
    ),
    "braces on one line stay there": (
        "fn main() {\n server { branch (x) { end; } else { drop p; } }\n}",
        "fn main() {\n  server { branch (x) { end; } else { drop p; } }\n}\n",
    ),
    "braces on several lines stay there": (
        "fn main() {\n server { branch (x) {\n end; } else { drop p; }\n }\n}",
        """\
fn main() {
  server {
    branch (x) {
      end;
    } else { drop p; }
  }
}
""",
    ),
    "empty braces are closed": (
        "fn main() {\n server {\n\n }\n workload { \n} def f(){}\n}",
        "fn main() {\n  server { }\n  workload { }\n  def f() { }\n}\n",
    ),
    "too long for one line": (
        f"fn main() {{\nturn {{ set {LONG} = 1; set {LONG}_2 = 2; set {LONG}_3 = 3; set {LONG}_4 = 4; }}\n}}".replace(
            "turn", "server"
        ),
        f"""\
fn main() {{
  server {{
    set {LONG} = 1;
    set {LONG}_2 = 2;
    set {LONG}_3 = 3;
    set {LONG}_4 = 4;
  }}
}}
""",
    ),
    "at most one empty line, none beside braces": (
        "\n\nlet a = 1;\n\n\n\nlet b = 2;\nfn main() {\n\n  let c = 3;\n\n\n  // more\n\n\n  let d = 4;\n\n}\n\n\n",
        "let a = 1;\n\nlet b = 2;\nfn main() {\n  let c = 3;\n\n  // more\n\n  let d = 4;\n}\n",
    ),
    "long lists": (
        "fn main() { workload { hidden " + ", ".join(f"{LONG}_{i}" for i in range(6)) + "; } }",
        f"""\
fn main() {{
  workload {{
    hidden {LONG}_0, {LONG}_1, {LONG}_2,
      {LONG}_3, {LONG}_4, {LONG}_5;
  }}
}}
""",
    ),
    "long expressions break before operators, the loosest first": (
        f"let x = {LONG} * {LONG} + {LONG} * {LONG} + {LONG} * {LONG};\nfn main() {{ }}",
        f"""\
let x = {LONG} * {LONG}
  + {LONG} * {LONG} + {LONG} * {LONG};
fn main() {{ }}
""",
    ),
    "long calls": (
        f"let x = max({LONG}_1 + {LONG}_2, min({LONG}_3, {LONG}_4 + {LONG}_5));\nfn main() {{ }}",
        f"""\
let x = max({LONG}_1 + {LONG}_2,
  min({LONG}_3, {LONG}_4 + {LONG}_5));
fn main() {{ }}
""",
    ),
    "a header before braces stands out from what is in them": (
        HOLD,
        f"""\
fn main() {{
  server {{
    hold {LONG} (cost({LONG}, 16)), b (cost(b, 32))
        reuse (cost({LONG}, 3)) {{
      drop p;
    }} cache (cost({LONG}, 4)) lease {LONG} ({LONG});
  }}
}}
""",
    ),
    "the author's line breaks stay where they make sense": (
        """\
fn main() {
  let a = 1 +
    2 + 3
      * 4;
  let b = max(1,
     2
  );
  let c = min(
    1, 2);
  let
    d
    =
    4
  ;
}
""",
        """\
fn main() {
  let a = 1
    + 2 + 3
    * 4;
  let b = max(1,
    2);
  let c = min(
    1, 2
  );
  let d =
    4;
}
""",
    ),
    "comments behind lines": (
        """\
// first
let a = 1; // one
let bb = 2;     // aligned
let c = 3;      // with this
                // and this

let d = 4;      // not with this
/* before */ let e = 5; /* behind */
fn main() { // opened
  // own
  let x = /* inner */ 1;
  // last
} // end
// after""",
        """\
// first
let a = 1;  // one
let bb = 2;     // aligned
let c = 3;      // with this
                // and this

let d = 4;  // not with this
/* before */ let e = 5; /* behind */
fn main() {  // opened
  // own
  let x = /* inner */ 1;
  // last
}  // end
// after
""",
    ),
    "aligned comments move with the longest line": (
        "let a=1;        // one\nlet long_name=2;// two\nfn main() { }",
        "let a = 1;          // one\nlet long_name = 2;  // two\nfn main() { }\n",
    ),
    "comments within statements": (
        """\
fn main() {
  let a = 1 // one
    + 2
    // three
    + 3;
  let b = f(/* x */ 1 /* y */, /* z */ 2);
  let c = max( // opened
    1, 2 // closing
  ) // behind
  ;
}
""",
        """\
fn main() {
  let a = 1  // one
    + 2
    // three
    + 3;
  let b = f(/* x */ 1 /* y */, /* z */ 2);
  let c = max(  // opened
    1, 2  // closing
  )  // behind
    ;
}
""",
    ),
    "comments of several lines move as a whole": (
        "fn main() {\n      /* one\n         two\n      three */\n  let a = 1;\n}",
        "fn main() {\n  /* one\n     two\n  three */\n  let a = 1;\n}\n",
    ),
    "spellings stay": (
        "let a = 1_000.50e+3; let b = .5; let c = (((1))); fn main() { }",
        "let a = 1_000.50e+3;\nlet b = .5;\nlet c = (((1)));\nfn main() { }\n",
    ),
    "a parenthesis is opened only where nothing else helps": (
        f"fn main() {{ let {LONG} = args_of_a_name_that_is_very_very_very_long({LONG}_that_goes_on_{LONG}(1)); }}",
        f"""\
fn main() {{
  let {LONG} = args_of_a_name_that_is_very_very_very_long(
    {LONG}_that_goes_on_{LONG}(1)
  );
}}
""",
    ),
    "a definition that does not parse is left alone": (
        "def f( ) { 1+\n   }\nfn main( ) { }",
        "def f() { 1+\n   }\nfn main() { }\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_layout(name: str) -> None:
    """The text becomes the one beside it."""
    before, after = CASES[name]
    assert check(before) == after
