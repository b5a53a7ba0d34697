"""The typed intermediate representation: its nodes, its JSON form, a checker of well-formedness."""
