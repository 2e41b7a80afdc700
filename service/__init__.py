"""The HTTP API and the web pages over all the other rooms."""
