"""The process that tokenizes: `python -m serq.nano.worker SOCKET LIMIT`.

In: on a socket that it inherits, the tokenizer, then texts. Out: on the same socket, an empty frame when it is ready,
then each text's first LIMIT tokens as 32-bit integers. It ends when the other side closes the socket, for whatever
reason, and not at Ctrl-C, which is the engine's business.
"""

from __future__ import annotations

import signal
import socket
import sys
from contextlib import suppress

import numpy as np
from tokenizers import Tokenizer

from serq.nano.intake import receive, send
from serq.nano.tokenizer import encode


def serve(engine: socket.socket, limit: int) -> None:
    """Tokenize until there is nobody to do it for."""
    tokenizer = Tokenizer.from_str(receive(engine)[1].decode())
    send(engine, 0, b"")
    while True:
        request, text = receive(engine)
        send(engine, request, np.array(encode(tokenizer, text.decode(), limit), dtype=np.int32).tobytes())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError), socket.socket(fileno=int(sys.argv[1])) as engine:
        serve(engine, int(sys.argv[2]))
