# specter-graph without Neo4j and without CUDA: the service, and every other command, on a server
# that NEO4J_URI names. `docker-compose.yml` starts it beside one; docs/deployment.md says how.
ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY requirements.txt pyproject.toml ./
RUN sed -n '/^uv==/,/^    # via/p' requirements.txt > uv.txt \
    && python -m pip install --no-cache-dir --require-hashes -r uv.txt \
    && python -m venv /opt/specter-graph
ENV VIRTUAL_ENV=/opt/specter-graph UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_NO_CACHE=1
# Pinned versions, checked by their hashes. PyTorch's build without CUDA has other hashes than the pinned one.
RUN sed '/^torch==/,/^    # via/{s/ \\$//; /--hash/d}' requirements.txt > pinned.txt \
    && uv pip install --torch-backend=cpu --constraints pinned.txt --extra all --requirements pyproject.toml setuptools
COPY . .
RUN uv pip install --no-deps --no-build-isolation .

FROM python:${PYTHON}-slim
COPY --from=build /opt/specter-graph /opt/specter-graph
# Models, maps and API keys; owned by the user, so that a new volume is, too.
RUN useradd --uid 10001 --home-dir /data --create-home specter
ENV PATH=/opt/specter-graph/bin:$PATH SPECTER_GRAPH_DATA=/data SPECTER_GRAPH_CACHE=/data/cache PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# The one address that needs no key.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/v1/healthz/live', timeout=4)"]
ENTRYPOINT ["specter-graph"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
