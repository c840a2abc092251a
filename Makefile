# Needs Python 3.11 or newer and make; everything else goes into .venv, from the versions in constraints.txt.
# PYTHON=… chooses the Python, ARGS=… is passed on to the command (make test ARGS="-k margin").

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?=
ARGS ?=
PY := .venv/bin/python
# Relative, because pip splits this variable at spaces; in the environment it holds for pip's build step as well.
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Or the tests would run on whatever it names instead of on what was installed.
unexport PYTHONPATH
PIP := $(PY) -m pip install -qq
# A process a core and each file in one of them, in the order of tests/conftest.py: the long ones first.
SPREAD := -n auto --dist loadfile --no-loadscope-reorder
BENCHMARKS := $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))

# A .venv that was copied or moved along with its checkout still points at the old one: make it anew.
ifneq ($(shell cat .venv/made-in 2>/dev/null),$(CURDIR))
.PHONY: .venv/demo
endif

.PHONY: help demo test test-slow test-browser fuzz lint format docs bench wheel clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done

demo: .venv/demo  ## install, then watch a linear classifier learn to tell spam from real mail
	@.venv/bin/rosenblatt demo $(ARGS)

test: .venv/test  ## install, then run the tests
	@$(PY) -m pytest $(SPREAD) $(ARGS)

test-slow: .venv/test  ## the tests that `make test` leaves out, and every property test with 250 random examples
	@ROSENBLATT_EXPLORE=$${ROSENBLATT_EXPLORE:-250} $(PY) -m pytest $(SPREAD) -m "slow or hypothesis" $(ARGS)

test-browser: .venv/browser  ## the page that plays a run, in Chromium (apt-get install chromium)
	@$(PY) -m pytest -m browser tests/browser $(ARGS)

fuzz: .venv/fuzz  ## ten minutes of looking for mails that break the filter; what reached new code stays in build/fuzz
	@PYTHONPATH=tests $(PY) tests/fuzz_mail.py build/fuzz $(or $(ARGS),-max_total_time=600)

lint: .venv/lint  ## ruff and mypy
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy

format: .venv/lint  ## let ruff lay out the code
	@$(PY) -m ruff check --fix --quiet .
	@$(PY) -m ruff format .

docs: .venv/docs  ## build the documentation into build/docs
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict $(ARGS)
	@echo "Built build/docs/index.html"

bench: .venv/bench  ## every program in benchmarks/
	@for program in $(BENCHMARKS); do echo "== $$program"; $(PY) "$$program" $(ARGS); done

wheel: .venv/test  ## build the wheel, then test it installed elsewhere
	@rm -rf dist
	@$(PY) -m pip wheel -qq --no-deps --wheel-dir dist .
	@echo "Installing $$(ls dist/*.whl) into a fresh environment …"
	@place=$$(mktemp -d); trap 'rm -rf "$$place"' EXIT; \
	data="$${ROSENBLATT_DATA:-$$PWD/../shared/data}"; \
	$(PY) -m venv "$$place/venv"; \
	"$$place/venv/bin/python" -m pip install -qq "$$(ls "$$PWD"/dist/*.whl)[test]"; \
	cp -R pyproject.toml tests "$$place"; \
	cd "$$place"; export ROSENBLATT_DATA="$$data"; \
	venv/bin/python -c 'import rosenblatt as r, sys; assert r.__file__.startswith(sys.prefix), r.__file__'; \
	venv/bin/python -m pytest $(ARGS)

clean:  ## remove everything that is made
	@rm -rf .venv build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/demo: pyproject.toml constraints.txt
	@found=; for python in $${PYTHON:+"$$PYTHON"} python3.11 python3 python3.12 python3.13 python; do \
		if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
		then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "rosenblatt needs Python 3.11 or newer with its venv module; found: $$(python3 --version 2>&1 || true)." \
			"Name one with make PYTHON=/path/to/python3.11 …" >&2; exit 1; \
	fi; \
	echo "Setting up .venv with $$("$$found" --version): a minute or two, once …"; \
	"$$found" -m venv --clear .venv
	@$(PIP) --editable .
	@echo "Compiling the loops of learning, once …"
	@.venv/bin/rosenblatt warm
	@echo "$(CURDIR)" > .venv/made-in
	@touch $@

.venv/test: .venv/demo
	@echo "Adding the packages that only the tests need …"
	@$(PIP) --editable '.[test]'
	@touch $@

.venv/browser: .venv/test
	@echo "Adding the package that drives a browser …"
	@$(PIP) --editable '.[browser]'
	@touch $@

.venv/bench: .venv/test
	@echo "Adding the peers of the benchmarks …"
	@$(PIP) --editable '.[bench]'
	@touch $@

.venv/fuzz: .venv/test
	@echo "Adding the package that looks for mails by the code they reach …"
	@$(PIP) --editable '.[fuzz]'
	@touch $@

.venv/lint: .venv/demo
	@echo "Adding ruff and mypy …"
	@$(PIP) --editable '.[lint]'
	@touch $@

.venv/docs: .venv/demo
	@echo "Adding the packages that build the documentation …"
	@$(PIP) --editable '.[docs]'
	@touch $@
