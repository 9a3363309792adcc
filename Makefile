# Two commands do everything: `make demo` and `make test`. Each makes .venv and installs what it needs.
PYTHON ?= python3
BIN := .venv/bin
export DAGSTER_HOME ?= $(CURDIR)/dagster_home
export G2W_LAKE ?= $(CURDIR)/lake

.PHONY: demo test test-all test-slow test-services test-browser ui lint bench clean

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --prefer-binary -c constraints.txt -e '.[dev]'
	touch $@

demo: .venv/installed
	$(BIN)/g2w demo

test: .venv/installed
	$(BIN)/python -m pytest -n auto --maxprocesses 4 -m 'not slow and not services and not browser'

test-slow: .venv/installed
	$(BIN)/python -m pytest -m slow

test-services: .venv/installed
	$(BIN)/python -m pytest -m services

test-browser: .venv/installed
	$(BIN)/python -m pytest -m browser

test-all: .venv/installed
	$(BIN)/python -m pytest

ui: .venv/installed
	$(BIN)/g2w ui

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

clean:
	rm -rf .venv lake
