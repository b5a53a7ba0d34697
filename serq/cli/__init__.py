"""The command line: arguments, files, exit codes. The only room that prints.

`main` is the command `serq`. What it does is in `serq.cli.main`; each subcommand has a module of its own, loaded when
it is called.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of the process and exit with its code."""
    try:
        # Here so that Ctrl-C while the command is still loading ends in one line, too.
        from serq.cli.main import status

        code = status(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("serq: interrupted\n")
        code = 130
    sys.exit(code)
