"""The HTTP API and the web pages.

`app.build_service` builds an ASGI application from an open `LiteratureGraph` and
`service_settings.ServiceSettings`. The routes of the API are in the modules `*_routes`, those of
the web pages in `*_pages`. The application is read-only, except for jobs if they are enabled.
"""
