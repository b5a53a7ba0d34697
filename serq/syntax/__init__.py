"""Program text to a parse tree."""
