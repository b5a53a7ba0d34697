"""What a program means: from its syntax tree to the intermediate representation, refusing what makes no sense."""
