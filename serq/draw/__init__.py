"""The deployment as a picture: representation -> model -> DOT source -> SVG, PNG, PDF."""
