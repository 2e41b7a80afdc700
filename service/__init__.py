"""The HTTP API and the web pages.

`app.build_service` makes an ASGI application of an open `LiteratureGraph` and `web.config.Terms`.
The application only reads, except for jobs where they are allowed.
"""
