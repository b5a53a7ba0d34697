"""A parse tree to the intermediate representation."""
