"""The HTTP API and the web pages.

`app.build_service` builds an ASGI application from an open `LiteratureGraph` and
`web.config.ServiceSettings`. The application is read-only, except for jobs if they are enabled.
"""
