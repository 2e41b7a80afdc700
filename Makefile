# `make demo` and `make test` install everything that they need, except Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Without the last option, pytest would wait forever after a test process has crashed.
PYTEST := $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# Write compiled modules even if the shell forbids it: without them, each import of torch takes ten seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup dev demo test test-fast coverage lint docs bench lock clean

# Pinned versions, checked by their hashes. PyTorch's build without CUDA has other hashes than the pinned one.
PINS := requirements$(if $(filter cpu,$(TORCH)),-cpu).txt
INSTALL = VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --constraints $(PINS) --requirements pyproject.toml

setup: $(VENV)/.ready

# Also install the packages for tests, checks and the documentation.
dev: $(VENV)/.dev

$(VENV)/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "specter-graph needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	sed -n '/^uv==/,/^    # via/p' requirements.txt > $(VENV)/uv.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.txt
ifeq ($(TORCH),cpu)
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --torch-backend=cpu "$$(grep -o '^torch==[^ ;]*' requirements.txt)"
endif
	$(INSTALL) --requirements requirements.in --extra all
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --no-deps --no-build-isolation --editable .
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip check
	@touch $@

$(VENV)/.dev: $(VENV)/.ready
	$(INSTALL) --extra dev
	@touch $@

demo: setup
	$(BIN)/specter-graph demo

# Three processes, each with a Neo4j of its own, because tests often wait: about 5 GB.
test: dev
	$(PYTEST)

# The tests that need no server, browser or documentation site.
test-fast: dev
	$(PYTEST) -m "not server and not browser and not docs and not slow"

coverage: dev
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-fail-under=90

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python scripts/check_words.py

# Writes the site to build/docs. The variable hides a warning about mkdocs 2, which is not used.
docs: dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: dev
	$(BIN)/python bench/run.py

# Pins for every platform, with hashes and no index address. requirements-cpu.txt is without PyTorch and
# CUDA: `make setup TORCH=cpu` installs PyTorch's build for CPUs (5 GB less) from PyTorch's own index.
lock: dev
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-emit-index-url --extra dev pyproject.toml requirements.in --output-file requirements.txt
	awk '/^[a-z]/ { skip = /^(torch|triton|nvidia-|cuda-)/ } !skip' requirements.txt > requirements-cpu.txt

clean:
	rm -rf $(VENV) build dist *.egg-info
