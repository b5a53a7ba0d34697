# The commands of the project; CONTRIBUTING.md explains them. PYTHON is the interpreter that makes the environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Compiled sources in place: a third of a short command's time, where Python is told to write none itself.
BYTECODE := $(BIN)/python -m compileall -q serq
KERNEL := $(wildcard serq/kernel/*.py serq/kernel/*.pxd)
# Test processes at a time.
JOBS ?= 2

.PHONY: demo test check format kernel bench docs clean

demo: $(VENV)/.kernel
	@$(BYTECODE)
	$(BIN)/serq run docs/tutorial/programs/05-engine.sq --horizon 20000 --warmup 2000 --seed 1

test: $(VENV)/.test $(VENV)/.kernel
	@$(BYTECODE)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(VENV)/.dev $(VENV)/.kernel
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

kernel: $(VENV)/.serq
	$(BIN)/python setup.py --quiet build_ext --inplace --force
	@touch $(VENV)/.kernel

bench: $(VENV)/.kernel
	@$(BYTECODE)
	$(BIN)/python benchmarks/compare.py

# The book, in site/.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

# Stamps: a second call installs nothing again.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'serq needs Python 3.11 or later: make $(or $(MAKECMDGOALS),demo) PYTHON=python3.11' >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.serq: $(VENV)/.python pyproject.toml setup.py
	$(PIP) --editable '.[draw]' 'setuptools>=77'
	@touch $@

$(VENV)/.test: $(VENV)/.serq
	$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/.docs: $(VENV)/.serq
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/.dev: $(VENV)/.serq
	$(PIP) --editable '.[dev]'
	@touch $@

# Rebuilds only what changed: Cython and setuptools compare times.
$(VENV)/.kernel: $(VENV)/.serq $(KERNEL)
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

clean:
	rm -rf build dist site *.egg-info $(VENV)/.serq $(VENV)/.test $(VENV)/.dev $(VENV)/.docs $(VENV)/.kernel serq/kernel/*.c serq/kernel/*.so serq/kernel/*.html
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +
