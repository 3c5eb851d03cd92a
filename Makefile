# make demo    build lore and run its main job on the bundled sample
# make test    all tests
# make check   everything a commit must pass
GO        ?= go
CACHE     ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lore
OLLAMA_VERSION = v0.17.4
OLLAMA_STUB    = local/ollama/testserver/include/miniaudio/miniaudio.h
# The folder's name changes with what the binary is made of, not with file times,
# which every clone sets anew.
OLLAMA_DIR     = $(CACHE)/ollama-$(OLLAMA_VERSION)-$(firstword $(shell cksum < $(OLLAMA_STUB)))
OLLAMA         = $(OLLAMA_DIR)/ollama
FUZZTIME  ?= 60s
export CGO_ENABLED ?= 0

.PHONY: build demo test check fmt vet staticcheck race tidy static bench bench-index fuzz golden ollama test-ollama fit sample clean

build:
	$(GO) build -trimpath -o lore ./cmd/lore

demo: build
	./lore run summhay --retriever bm25,keywords,random,oracle,full --generator extractive --judge lexical --budget-tokens 6000 --out demo-run

test:
	$(GO) test ./...

check: fmt vet staticcheck race tidy static

fmt:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

# The race detector needs cgo. -short leaves out what only takes long.
race:
	CGO_ENABLED=1 $(GO) test -race -short ./...

tidy:
	$(GO) mod tidy -diff

# The binary must not need any library of the machine it runs on.
static: build
	@$(GO) version -m lore | grep -q 'CGO_ENABLED=0' || { echo "the default build uses cgo"; exit 1; }

# bench prints figures that compare two things in one run.
bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./local/gate
	$(GO) test -run '^$$' -bench . $$($(GO) list ./... | grep -v local/gate)

# bench-index compares retrieval over 500,000 passages with Bleve's own; minutes.
bench-index:
	LORE_BENCH_INDEX=1 $(GO) test -run '^$$' -bench Index500k -benchtime 1x -timeout 30m ./index

# fuzz runs every fuzz target for FUZZTIME.
fuzz:
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

# golden compares with the values of reference tools in ../shared (or LORE_SHARED);
# CI=true makes their absence an error.
golden:
	CI=true $(GO) test -count=1 -run 'Golden|Published' ./...

# ollama builds a real server for the tests from its Go module. It needs a C++
# compiler and Debian's nlohmann-json3-dev and libstb-dev.
ollama: $(OLLAMA)
	@echo $(OLLAMA)

$(OLLAMA):
	mkdir -p $(OLLAMA_DIR)/include
	cp -r local/ollama/testserver/include $(OLLAMA_DIR)
	cd $(OLLAMA_DIR) && CGO_ENABLED=1 GOFLAGS= GOBIN=$(OLLAMA_DIR) CGO_CPPFLAGS=-I$(OLLAMA_DIR)/include $(GO) install github.com/ollama/ollama@$(OLLAMA_VERSION)

test-ollama: $(OLLAMA)
	LORE_OLLAMA=$(OLLAMA) $(GO) test -count=1 -run Real ./...

# fit finds the lexical judge's constants on the published human labels.
SHARED ?= $(or $(LORE_SHARED),../shared)
fit:
	$(GO) run ./datasets/summhay/internal/fitlexical -labels $(SHARED)/data/summhay/human_coverage_labels_dev.json -out judge/lexical/fitted.json

sample:
	$(GO) generate ./datasets/summhay

clean:
	rm -rf lore demo-run
