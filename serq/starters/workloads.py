"""Clients of starting programs.

Each sends prompts and outputs of some length to the engine `llm`. `limit` is the most output that a request asks for.
The numbers are round and made up, to be replaced; they keep the engines at a moderate load.
"""

from __future__ import annotations

from serq.record import Record


class Workload(Record):
    """The parts of a program that its clients fill.

    Attributes:
        about: what they do, for the first line of the program.
        rate: sessions a second, as text.
        limit: the most output tokens of a request.
        text: the workload and the server.
        trace: the sessions of a file to be written beside the program, or None.
    """

    about: str
    rate: str
    limit: str
    text: str
    trace: str | None


_WINDOW = "8000"
"""Tokens that a client keeps of a conversation: what every engine here prefills in one piece if it has to."""

CHAT = Workload(
    about="chat sessions",
    rate="0.2",
    limit="1024",
    text=f"""\
workload {{
  arrive poisson(rate);
  init {{ set context = 0; }}
  // A question and an answer; the prompt is the whole conversation so far.
  turn {{ set question = ~exp(150) + 1; set answer = min(~exp(250) + 1, limit); }}
  session {{
    loop {{
      turn;
      set context = min(prompt + answer, {_WINDOW});
      // Reading and typing, or the end.
      branch with (0.8) {{ tool (~exp(20)); }} else {{ drop kv; end; }}
    }}
  }}
}}

server {{
  set prompt = min(context + question, {_WINDOW});
  llm (prompt, answer);
}}
""",
    trace=None,
)

AGENTS = Workload(
    about="agents that call tools",
    rate="0.1",
    limit="1024",
    text=f"""\
workload {{
  arrive poisson(rate);
  // Instructions and descriptions of the tools, then the task.
  init {{ set context = 2000 + ~exp(500); }}
  // What the last tool gave back, and the next call or the final answer.
  turn {{ set result = ~exp(300) + 1; set answer = min(~exp(120) + 1, limit); }}
  session {{
    loop {{
      turn;
      set context = min(prompt + answer, {_WINDOW});
      // Another tool, at work for some seconds, or the end.
      branch with (0.9) {{ tool (~h2(1.5, 4)); }} else {{ drop kv; end; }}
    }}
  }}
}}

server {{
  set prompt = min(context + result, {_WINDOW});
  llm (prompt, answer);
}}
""",
    trace=None,
)

SINGLE = Workload(
    about="independent requests",
    rate="1",
    limit="1024",
    text=f"""\
workload {{
  arrive poisson(rate);
  turn {{
    set prompt = min(~h2(800, 2) + 1, {_WINDOW});
    set answer = min(~exp(250) + 1, limit);
  }}
}}

server {{ llm (prompt, answer); }}
""",
    trace=None,
)

_SESSIONS = """\
session,turn,new,out,think
0,1,812,190,14
0,2,64,240,9
0,3,120,310,0
1,1,2300,95,3
1,2,410,60,0
2,1,150,420,25
2,2,90,380,31
2,3,75,260,18
2,4,130,505,0
3,1,980,700,0
"""

TRACE = Workload(
    about="recorded sessions",
    rate="0.3",
    limit="1024",
    text=f"""\
workload {{
  arrive poisson(rate);
  // Each turn gives `new` prompt tokens, `out` output tokens, and `think` seconds until the next.
  trace "TRACE";
  init {{ set context = 0; }}
  session {{
    turn;
    set context = min(prompt + answer, {_WINDOW});
    while (more) {{ tool (think); turn; set context = min(prompt + answer, {_WINDOW}); }}
    drop kv;
  }}
}}

server {{
  set prompt = min(context + new, {_WINDOW});
  set answer = min(out, limit);
  llm (prompt, answer);
}}
""",
    trace=_SESSIONS,
)

WORKLOADS = {"chat": CHAT, "agents": AGENTS, "single": SINGLE, "trace": TRACE}
"""The clients by the word that chooses them, the default first."""
