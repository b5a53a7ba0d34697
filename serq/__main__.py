"""`python -m serq` is the command `serq`."""

from serq.cli import main

main()
