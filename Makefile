# Two commands for a newcomer: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# One thread per process: oversubscribed BLAS threads stall small machines.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MPLBACKEND := Agg

.PHONY: demo test test-core check format docs browsed wheelhouse release installed isolated contained bench adversary clean

demo: $(VENV)/.core
	$(BIN)/consilience demo --out demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal

# Without any extra: what needs one must be skipped, and the skip must name it.
test-core: pyproject.toml
	$(PYTHON) -m venv $(VENV)-core
	$(VENV)-core/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	$(VENV)-core/bin/python -m pytest -n auto --dist worksteal

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The site, from pages, docstrings and notebooks, which are run; a warning is an error. No network.
docs: $(VENV)/.dev
	$(BIN)/sphinx-build -q -W --keep-going -b html -c docs . dist/site
	@echo "open dist/site/index.html"

# The site in a real browser: three widths, light and dark, keys alone; axe, where AXE_CORE names it.
browsed: docs
	$(BIN)/python docs/_site/browsed.py dist/site

# Every wheel an offline machine needs, with hashes and a bill of materials: docs/install.md.
EXTRAS ?=
wheelhouse: $(VENV)/.core
	$(BIN)/python release/wheelhouse.py dist/wheelhouse $(EXTRAS)

# Wheel and source archive, checked, with their sums; the same bytes for the same commit.
release: $(VENV)/.dev
	rm -rf dist/release
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --outdir dist/release
	$(BIN)/twine check --strict dist/release/*
	cd dist/release && sha256sum * > SHA256SUMS

# The wheel, the source archive and the wheelhouse, each installed where nothing else is, by the demo.
installed: release wheelhouse
	PYTHON=$(PYTHON) release/installed.sh dist

# A study by files between three roots that share nothing: as root, on Linux.
isolated:
	$(PYTHON) -m venv dist/isolated
	dist/isolated/bin/python -m pip install --quiet --disable-pip-version-check .
	release/carried.sh release/isolated.sh dist/isolated

# The image, and the same study between three containers of it: as root.
ENGINE ?= docker
contained:
	$(ENGINE) build -f Containerfile -t consilience .
	ENGINE="$(ENGINE)" release/carried.sh release/contained.sh consilience

bench: $(VENV)/.dev
	$(BIN)/consilience bench dc-clustering

# Whole campaigns against the package, about half an hour; `make test` runs a tenth of each.
adversary: $(VENV)/.dev
	$(BIN)/python -m benchmarks.adversary

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Consilience needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "installing Consilience and what it needs into $(VENV); this takes a minute or two"
	$(BIN)/python -m pip install --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) $(VENV)-core demo dist docs/api .mypy_cache .ruff_cache .pytest_cache .hypothesis
