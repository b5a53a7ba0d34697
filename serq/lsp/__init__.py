"""What an editor asks about a program: faults, meanings, places, completions.

In: a text, perhaps in the middle of being typed, and an offset into it. Out: plain records. `document` is the door;
`server` puts it behind the Language Server Protocol and is the only module that knows of pygls, which is an optional
dependency (`pip install 'serq[lsp]'`). Nothing here changes or runs a program.

    positions   offsets <-> lines and characters as editors count them
    recover     a text that does not parse -> one of the same length that does
    contexts    where in a program a token stands -> the moment at which an expression there is evaluated
    names       syntax tree -> every name with its declarations and uses
    describe    a name -> what is told about it
    hover, complete, calls, outline, rename, checks, colours
                what editors ask for
"""
