"""`python -m serq` is the command `serq`."""

import sys

try:
    from serq.cli import main

    main()
except KeyboardInterrupt:  # between the import and what `main` guards
    sys.stderr.write("serq: interrupted\n")
    sys.exit(130)
