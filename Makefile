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

.PHONY: build build-ort build-simd demo no-demo test test-beside test-rest check fmt vet staticcheck race tidy static bench bench-index bench-index-5m msrs-retrievers bench-embed fuzz golden simulate simulate-gate simulate-watch simulate-labels hostile msrs-tables estimates flips kills label-kills hundred night golden-embed onnxruntime test-ort ollama test-ollama study-kills bench-peers bench-build axe pages fit known cards sample clean

build:
	$(GO) build -trimpath -o lore ./cmd/lore

demo: build no-demo
	./lore run summhay --retriever bm25,keywords,random,oracle,full --generator extractive --judge lexical --budget-tokens 6000 --out demo-run

# A folder of another configuration would be refused.
no-demo:
	rm -rf demo-run

# The command's own tests take longer than all others together, one after the other. These of them run
# beside the rest, so that two cores have work.
BESIDE = ^Test(Page|View|Real|Published|Paper|Scripts|Hostile)

test:
	@$(MAKE) --no-print-directory -j2 test-beside test-rest

test-beside:
	$(GO) test -timeout 30m -run '$(BESIDE)' ./cmd/lore

test-rest:
	$(GO) test -timeout 30m -skip '$(BESIDE)' ./cmd/lore
	$(GO) test -timeout 30m -p 1 $$($(GO) list ./... | grep -v '^lore/cmd/lore$$')

check: fmt vet staticcheck race tidy static

fmt:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

# The race detector needs cgo. -short leaves out what only takes long. Pointer checks
# are off for gomlx alone: its matrix product steps past the end of a slice that it
# does not read there.
race:
	CGO_ENABLED=1 $(GO) test -race -gcflags='github.com/gomlx/...=-d=checkptr=0' -timeout 30m -short ./...

tidy:
	$(GO) mod tidy -diff

# The binary must not need any library of the machine it runs on.
static: build
	@$(GO) version -m lore | grep -q 'CGO_ENABLED=0' || { echo "the default build uses cgo"; exit 1; }

# bench prints figures that compare two things in one run.
bench:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./local/gate
	$(GO) test -run '^$$' -bench . $$($(GO) list ./... | grep -v local/gate)

# bench-index measures an index of a million passages against what must hold, and compares
# retrieval over 500,000 passages with Bleve's own, and with Lucene's where liblucene8-java is installed, and dense search with a pass over the
# memory; and learned sparse search with BM25; minutes.
bench-index:
	LORE_INDEX_SIZE=1000000 $(GO) test -run TestIndexSize -count 1 -timeout 30m -v ./index/collection
	LORE_BENCH_INDEX=1 $(GO) test -run '^$$' -bench '500k' -benchtime 1x -timeout 30m -v ./index

# msrs-retrievers times MSRS's whole story set in MSRS, its folder, with five retrievers, `full` among them.
msrs-retrievers: build
	rm -rf msrs-retrievers-run
	/usr/bin/time -f '%e s, %M KB at most' ./lore run msrs $(MSRS) --retriever bm25,keywords,random,oracle,full --generator extractive \
		--judge lexical --cache none --out msrs-retrievers-run
	rm -rf msrs-retrievers-run

# bench-index-5m measures one of five million; half an hour and 6 GB of disk.
bench-index-5m:
	LORE_INDEX_SIZE=5000000 $(GO) test -run TestIndexSize -count 1 -timeout 90m -v ./index/collection

# bench-build prints what becomes of builds of each benchmark whose model falls short in one way or
# another: items kept, calls, and wrong labels in percent; of haystacks also the interval that the build
# gives for them. The table of docs/building.md is from it; minutes.
bench-build:
	$(GO) test -run '^$$' -bench BuildNoise -benchtime 1x -timeout 1h ./datasets/...

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

# simulate checks false positives, power and least differences of compare on many more
# tables and systems than the tests do; half an hour.
simulate:
	LORE_SIMULATE=1 $(GO) test -count=1 -v -timeout 2h -run 'FalsePositives|Power' ./cmd/lore/internal/table

# simulate-labels checks that scores corrected by planned labels cover the truth, 1,000 runs of
# each simulated judge, and writes the table of docs/labelling.md; two minutes.
simulate-labels:
	LORE_SIMULATE=1 $(GO) test -count=1 -v -timeout 1h -run 'LabelSimulation' ./cmd/lore/internal/label -update

# simulate-gate checks that runs exactly at the margin of lore gate pass in at most 5 % of cases, 1,000
# runs of each kind, beside a t test and a bootstrap, and writes the table of docs/gate.md; five minutes.
simulate-gate:
	LORE_SIMULATE=1 $(GO) test -count=1 -v -timeout 1h -run 'GateSimulation' ./cmd/lore/internal/accept -update

# simulate-watch checks that what `lore run --watch` says is clear is wrong in at most 5 % of runs however
# often it looks, 20,000 runs of each kind, and writes the table of docs/prompts.md; three minutes.
simulate-watch:
	LORE_SIMULATE=1 $(GO) test -count=1 -v -timeout 1h -run 'WatchSimulation' ./judge/metric -update

# The campaigns run in full what `go test` runs a seeded sample of: LORE_SEED=2 draws
# another. hostile lets every verb meet every misbehaviour of a server (LORE_MODE names
# one of them); ten minutes.
CAMPAIGN = LORE_CAMPAIGN=1 $(GO) test -count=1 -v -timeout 3h ./cmd/lore -run
hostile:
	$(CAMPAIGN) 'TestHostile$$'

# estimates foretells ten runs on a server of known speeds, and one on a real server, and runs them;
# ten minutes on a machine that does nothing else.
estimates: $(OLLAMA)
	LORE_OLLAMA=$(OLLAMA) $(CAMPAIGN) 'TestEstimatesOfTime$$|TestRealEstimate$$'

# flips damages the files of a finished run; LORE_KEEP names a folder for what went
# unnoticed; minutes.
flips:
	$(CAMPAIGN) 'TestFlips$$'

# kills ends commands 500 times early: by signals, in system calls, with their server;
# half an hour. It needs strace for system calls.
kills:
	$(CAMPAIGN) 'TestKill'

# msrs-tables scores all recorded outputs of MSRS as the paper's tables, three times, and holds time and memory
# against their limits.
msrs-tables:
	$(CAMPAIGN) 'TestMSRSTables$$'

# hundred draws the page of 107 systems, and measures it; ten minutes.
hundred:
	$(CAMPAIGN) 'TestPageOfAHundredSystems$$'

# label-kills kills the saving of labels 50 times: none that was shown as saved may be lost;
# a minute.
label-kills:
	$(CAMPAIGN) 'TestLabelKills$$'

# night is a study with a server that falls ill, is started again and is replaced, and with
# a disk that fills, where root can mount one; minutes.
night:
	$(CAMPAIGN) 'TestNight$$'

# ollama builds a real server for the tests from its Go module. It needs a C++
# compiler and Debian's nlohmann-json3-dev and libstb-dev.
ollama: $(OLLAMA)
	@echo $(OLLAMA)

$(OLLAMA):
	mkdir -p $(OLLAMA_DIR)/include
	cp -r local/ollama/testserver/include $(OLLAMA_DIR)
	cd $(OLLAMA_DIR) && CGO_ENABLED=1 GOFLAGS= GOBIN=$(OLLAMA_DIR) CGO_CPPFLAGS=-I$(OLLAMA_DIR)/include $(GO) install github.com/ollama/ollama@$(OLLAMA_VERSION)

# build-ort builds lore with onnxruntime, many times faster than the Go runtime. It
# needs a C compiler here, and libonnxruntime 1.26 or newer where it runs:
#   ./lore-ort retrieve ... --runtime onnxruntime --onnxruntime /path/to/libonnxruntime.so
build-ort:
	CGO_ENABLED=1 $(GO) build -trimpath -tags ort -o lore-ort ./cmd/lore

# build-simd builds lore with Go's experimental SIMD package: the Go runtime for
# embedders is about three times faster.
build-simd:
	GOEXPERIMENT=simd $(GO) build -trimpath -o lore-simd ./cmd/lore

# onnxruntime fetches the library and Hugging Face's tokenizers by npm, for the
# golden values and for test-ort.
ORT = $(CACHE)/onnxruntime
ORT_LIBRARY = $(ORT)/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1
onnxruntime: $(ORT_LIBRARY)
$(ORT_LIBRARY):
	mkdir -p $(ORT)
	cd $(ORT) && echo '{"private":true}' > package.json && ONNXRUNTIME_NODE_INSTALL=skip npm install --no-audit --no-fund onnxruntime-node@1.30.0 tokenizers@0.23.2

test-ort: $(ORT_LIBRARY)
	CGO_ENABLED=1 LORE_ONNXRUNTIME=$(ORT_LIBRARY) $(GO) test -count=1 -tags ort ./embed/...

# golden-embed makes the golden files of embed/testdata anew.
golden-embed: $(ORT_LIBRARY)
	$(GO) run ./embed/testmodel/gen $(ORT)/models
	cd $(ORT) && node $(CURDIR)/embed/testmodel/golden.mjs models $(CURDIR)/embed/testdata/golden.json
	cd $(ORT) && node $(CURDIR)/embed/testmodel/golden-nli.mjs models $(CURDIR)/embed/testdata/golden-nli.json
	cd $(ORT) && node $(CURDIR)/embed/testmodel/golden-sparse.mjs models $(CURDIR)/embed/testdata/golden-sparse.json
	cd $(ORT) && node $(CURDIR)/embed/testmodel/golden-rerank.mjs models $(CURDIR)/embed/testdata/golden-rerank.json

# bench-embed prints tokens per second of each runtime, side by side.
bench-embed: $(ORT_LIBRARY)
	CGO_ENABLED=1 LORE_ONNXRUNTIME=$(ORT_LIBRARY) $(GO) test -tags ort -run '^$$' -bench Runtimes -benchtime 1x ./embed
	CGO_ENABLED=1 GOEXPERIMENT=simd LORE_ONNXRUNTIME=$(ORT_LIBRARY) $(GO) test -tags ort -run '^$$' -bench Runtimes -benchtime 1x ./embed

# axe fetches axe-core by npm, by which tests look for what somebody cannot see or reach on
# the page; LORE_AXE names its file.
AXE_VERSION = 4.14.1
AXE_SHA512  = 1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5
AXE         = $(CACHE)/axe-core-$(AXE_VERSION)/package/axe.min.js
axe: $(AXE)
	@echo $(AXE)
$(AXE):
	mkdir -p $(CACHE)/axe-core-$(AXE_VERSION)
	cd $(CACHE)/axe-core-$(AXE_VERSION) && npm pack --silent axe-core@$(AXE_VERSION) >/dev/null && \
		echo "$(AXE_SHA512)  axe-core-$(AXE_VERSION).tgz" | sha512sum -c --quiet && tar xzmf axe-core-$(AXE_VERSION).tgz package/axe.min.js

# pages opens the page of a run in a real Chromium, and keeps pictures of it in SHOTS.
SHOTS ?= $(or $(TMPDIR),/tmp)/lore-pages
pages: $(AXE)
	LORE_AXE=$(AXE) LORE_SCREENSHOTS=$(SHOTS) $(GO) test -count=1 -run 'TestPage' ./cmd/lore
	@echo $(SHOTS)

# study-kills runs a study of all benchmarks on a real server, kills it 20 times, and compares its
# files with those of an undisturbed one.
study-kills: $(OLLAMA)
	LORE_OLLAMA=$(OLLAMA) LORE_STUDY_KILLS=20 $(GO) test ./cmd/lore -run TestRealStudy -count 1 -v -timeout 60m

# bench-peers times whole processes side by side: lore, promptfoo where npm can install it, and a bare
# loop of the same calls.
PROMPTFOO = $(CACHE)/promptfoo-0.120.27
bench-peers:
	@$(PROMPTFOO)/node_modules/.bin/promptfoo --version >/dev/null 2>&1 || \
		npm install --silent --no-audit --no-fund --prefix $(PROMPTFOO) promptfoo@0.120.27 || \
		{ rm -rf $(PROMPTFOO); echo "promptfoo is left out: npm cannot install it"; }
	LORE_PEER_ROUNDS=5 LORE_PROMPTFOO=$$(ls $(PROMPTFOO)/node_modules/.bin/promptfoo) \
		$(GO) test ./cmd/lore -run TestBesidePeers -count 1 -v

test-ollama: $(OLLAMA)
	LORE_OLLAMA=$(OLLAMA) $(GO) test -count=1 -run Real ./...

# fit fits the lexical judge on public human labels; two minutes.
SHARED ?= $(or $(LORE_SHARED),../shared)
fit:
	$(GO) run ./datasets/summhay/internal/fitlexical -labels $(SHARED)/data/labels -summhay $(SHARED)/data/summhay/human_coverage_labels_dev.json -out judge/lexical/fitted.json

# known measures what judge/agreement/known.csv and the table of docs/judges.md say of judges, as
# far as published labels and the fit give it; rows by hand stay, and say why. Seconds.
known:
	CI=true LORE_SHARED=$(abspath $(SHARED)) $(GO) test ./cmd/lore -count=1 -run 'TestKnown' -update

# cards prints the lexical judge's card over the published labels, as CSV.
cards: build
	./lore judge audit $(SHARED)/data/labels $(SHARED)/data/summhay/human_coverage_labels_dev.json --judge lexical --format csv

sample:
	$(GO) generate ./datasets/summhay

clean:
	rm -rf lore lore-ort lore-simd demo-run
