# `make demo` and `make test` do all the set-up they need; nothing but Python 3.11+ has to be there.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ROOMS := loaders graph cypher encoder evaluation matching service

# Packages are compiled once, at their first import, whatever the shell was told: torch alone costs
# ten seconds a start otherwise.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test lint docs bench lock clean

setup: $(VENV)/.ready .typing/.ready

$(VENV)/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "specter-graph needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	sed -n '/^uv==/,/^    # via/p' requirements.txt > $(VENV)/uv.txt
	$(BIN)/python -m pip install --quiet --require-hashes -r $(VENV)/uv.txt
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --require-hashes -r requirements.txt
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --no-deps --no-build-isolation --editable .
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip check
	@touch $@

# Static tools do not follow the mapping of root folders to sub-packages: they get a folder of links.
.typing/.ready: Makefile $(wildcard specter_graph/*)
	@rm -rf .typing && mkdir -p .typing/specter_graph
	@for entry in specter_graph/*; do ln -s ../../$$entry .typing/specter_graph/; done
	@for room in $(ROOMS); do ln -s ../../$$room .typing/specter_graph/$$room; done
	@touch $@

demo: setup
	$(BIN)/specter-graph demo

# Two processes, each with a Neo4j of its own: about 3 GB.
test: setup
	$(BIN)/pytest -n 2 --dist loadfile

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd .typing && ../$(BIN)/lint-imports --config ../pyproject.toml

# The site goes to build/docs; the warning is of versions that are not used.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: setup
	$(BIN)/python bench/run.py

# Pins for every platform, with hashes and no index address.
lock: setup
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
	    --no-header --no-emit-index-url --extra dev pyproject.toml requirements.in --output-file requirements.txt

clean:
	rm -rf $(VENV) .typing build dist *.egg-info
