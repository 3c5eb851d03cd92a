package view

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/page"
	"lore/cmd/lore/internal/usage"
)

// runPath is what the address of runs begins with; their ids follow, with hyphens between
// them.
const runPath = "/run/"

// takes reports whether an address may be posted to: where labels are saved, and where they
// are planned.
func takes(path string) bool {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	return len(parts) == 3 && parts[1] != "" &&
		(parts[0] == "label" && parts[2] == "labels" || parts[0] == "run" && parts[2] == "plan")
}

// routes are all addresses that there are.
func routes(runs *runs) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", serveShell)
	mux.HandleFunc("GET /run/{ids}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := runs.folders(r.PathValue("ids")); err != nil {
			w.WriteHeader(http.StatusNotFound) // the page asks, is told why, and says it
		}
		serveShell(w, r)
	})
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })

	mux.HandleFunc("GET /runs", func(w http.ResponseWriter, r *http.Request) {
		list, err := runs.list()
		if err == nil {
			list.Labels, err = runs.labelled("")
		}
		serveJSON(w, r, list, err)
	})
	mux.HandleFunc("GET /run/{ids}/state", func(w http.ResponseWriter, r *http.Request) {
		state, err := runs.state(r.PathValue("ids"))
		serveJSON(w, r, state, err)
	})
	mux.HandleFunc("GET /run/{ids}/calls/{item}", func(w http.ResponseWriter, r *http.Request) {
		item, err := strconv.Atoi(r.PathValue("item"))
		if err != nil {
			fail(w, errUnknown)
			return
		}
		calls, err := runs.calls(r.PathValue("ids"), item)
		serveJSON(w, r, calls, err)
	})

	mux.HandleFunc("GET /run/{ids}/block/{name}", func(w http.ResponseWriter, r *http.Request) {
		block, err := runs.block(r.PathValue("ids"), r.PathValue("name"))
		if err != nil {
			fail(w, err)
			return
		}
		data, err := block.JSON()
		serveData(w, r, data, err)
	})
	labelRoutes(mux, runs)
	return mux
}

func serveShell(w http.ResponseWriter, _ *http.Request) {
	shell, err := page.Shell()
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(shell)
}

// fail says what went wrong, as text that the page shows.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusUnprocessableEntity
	if errors.Is(err, errUnknown) {
		status = http.StatusNotFound
	}
	http.Error(w, usage.Plain(err.Error()), status)
}

func serveJSON(w http.ResponseWriter, r *http.Request, v any, err error) {
	var data []byte
	if err == nil {
		data, err = json.Marshal(v)
	}
	serveData(w, r, data, err)
}

// smallest is how many bytes are worth compressing.
const smallest = 1 << 10

// serveData serves JSON with a tag, so that who has it already is not sent it again.
func serveData(w http.ResponseWriter, r *http.Request, data []byte, err error) {
	if err != nil {
		fail(w, err)
		return
	}
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}

	w.Header().Set("Content-Type", "application/json")
	if len(data) >= smallest && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		data = zipped(data)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Write(data)
}

func zipped(data []byte) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestSpeed) // the level is fine
	z.Write(data)                                     // memory takes all
	z.Close()
	return buf.Bytes()
}
