"""Tables of results, for the terminal, Markdown, JSON and HTML, and the report page."""
