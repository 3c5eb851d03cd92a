package main

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/rogpeppe/go-internal/testscript"

	"lore/cmd/lore/internal/store"
	"lore/datasets/summhay"
	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
	"lore/local/system"
	"lore/local/text"
)

// asCommand makes the test binary behave as lore, for tests that must kill it.
const asCommand = "LORE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"lore": main, "fakeollama": fakeOllama, "fakeengine": fakeEngine, "testmodel": writeTestModel,
		"fakesystem": fakeSystem,
		"pagetext":   printPage, "viewer": openView})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/cache")
			e.Setenv("SHARED", sharedDir())
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			e.Setenv("SAMPLES", filepath.Join(wd, "..", "..", "datasets"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "shared" {
				_, err := os.Stat(sharedDir() + "/data")
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// sharedDir is where published data lies, which is not part of the repository.
func sharedDir() string {
	if dir := os.Getenv("LORE_SHARED"); dir != "" {
		return dir
	}
	wd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return wd + "/../../../shared"
}

// printPage is a command for scripts: it prints the data of a page, a line for each block.
func printPage() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	for _, block := range pageBlocks(data) {
		os.Stdout.Write(block)
	}
}

// openView is a command for scripts: it opens the address that lore view prints, as a browser
// does, and says what it is told, with the cookie and without.
func openView() {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	browser := &http.Client{Jar: jar}
	first := fetched(browser, os.Args[1])
	base, _, _ := strings.Cut(os.Args[1], "/?")
	_, title, _ := strings.Cut(first.body, "<title>")
	title, _, _ = strings.Cut(title, "<")
	fmt.Println("shell", first.status, title)

	var list struct {
		Runs []struct{ Folder string }
	}
	if err := json.Unmarshal([]byte(fetched(browser, base+"/runs").body), &list); err != nil {
		panic(err)
	}
	var names []string
	for _, r := range list.Runs {
		names = append(names, r.Folder)
	}
	slices.Sort(names)
	fmt.Println("runs", len(names), strings.Join(names, " "))
	fmt.Println("stranger", fetched(http.DefaultClient, base+"/runs").status)
}

type reply struct {
	status int
	body   string
}

func fetched(client *http.Client, url string) reply {
	resp, err := client.Get(url)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(err)
	}
	return reply{resp.StatusCode, string(data)}
}

// pageBlocks unpacks the data of a page.
func pageBlocks(page []byte) [][]byte {
	var out [][]byte
	for _, m := range regexp.MustCompile(`<script type="application/x-lore"[^>]*>([^<]*)<`).FindAllSubmatch(page, -1) {
		packed, err := base64.StdEncoding.DecodeString(string(m[1]))
		if err != nil {
			panic(err)
		}
		text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		if err != nil {
			panic(err)
		}
		out = append(out, text)
	}
	return out
}

// writeTestModel is a command for scripts: it writes a small ONNX model of a kind
// into a folder.
func writeTestModel() {
	if err := testmodel.Write(os.Args[2], testmodel.Kind(os.Args[1])); err != nil {
		panic(err)
	}
}

// fakeSystem is a command for scripts: a question-answering service over a haystack,
// which answers with the documents that share most words with the query. With a status
// it answers every third query with that instead. With -echo it repeats, in answers and
// errors, the URL and the headers that it was sent.
func fakeSystem() {
	status := flag.Int("status", 0, "HTTP status of every third answer, or of those that -every says")
	every := flag.Int("every", 3, "how often the status comes")
	say := flag.String("say", "", "the body of every answer, in place of one to the question")
	header := flag.String("header", "", "Name: value, sent with every answer")
	echo := flag.Bool("echo", false, "repeat the request")
	form := flag.String("form", "", "texts or chat: other forms of request and reply")
	drop := flag.Int("drop", 0, "every so many streams break off, the first included")
	mangle := flag.Int("mangle", 0, "so many texts of each reply are no documents")
	flag.Parse()
	data, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		panic(err)
	}
	hay, err := summhay.Parse(flag.Arg(0), data)
	if err != nil {
		panic(err)
	}
	var n atomic.Int64
	if *form != "" {
		serve(formed{*form, hay, *drop, *mangle, &n}, flag.Arg(1))
		return
	}
	serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, value, ok := strings.Cut(*header, ": "); ok {
			w.Header().Set(name, value)
		}
		if *say != "" {
			w.WriteHeader(cmp.Or(*status, http.StatusOK))
			fmt.Fprint(w, *say)
			return
		}
		var q struct {
			Query string `json:"query"`
			K     int    `json:"k"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.K < 1 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if *status != 0 && n.Add(1)%int64(*every) == 0 {
			w.WriteHeader(*status)
			if *echo {
				fmt.Fprint(w, r.URL, r.Header)
			}
			return
		}
		var out system.Answer
		for _, i := range foundIn(hay, q.Query, q.K) {
			out.Documents = append(out.Documents, hay.Documents[i].DocumentID)
			for _, s := range text.Sentences(hay.Documents[i].DocumentText) {
				if text.Overlap(s, q.Query) > 0.05 {
					out.Answer += fmt.Sprintf("- %s [%d]\n", s, i+1)
				}
			}
		}
		if *echo {
			user, password, _ := r.BasicAuth()
			out.Answer += fmt.Sprintf("- I was sent %s with %s, by %s %s.\n", r.URL, r.Header, user, password)
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			panic(err)
		}
	}), flag.Arg(1))
}

// foundIn are the places of the documents that share most words with a query.
func foundIn(hay *summhay.File, query string, k int) []int {
	order := make([]int, len(hay.Documents))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(text.Overlap(hay.Documents[b].DocumentText, query), text.Overlap(hay.Documents[a].DocumentText, query))
	})
	return order[:min(k, len(order))]
}

// formed is the service of fakeSystem in other forms: texts gives passages as documents, and
// numbers its citations by them; chat does so as a chat endpoint, whole or as a stream.
type formed struct {
	form   string
	hay    *summhay.File
	drop   int // every so many streams break off; 0: none
	mangle int // so many texts of each reply are no documents
	n      *atomic.Int64
}

func (f formed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Question string
		TopK     int `json:"top_k"`
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || f.form == "texts" && q.TopK < 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if n := len(q.Messages); n > 0 {
		q.Question, q.TopK = q.Messages[n-1].Content, 10
	}
	if q.Question == "fail" {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "no index for ", r.Header.Get("Authorization"))
		return
	}

	answer, sources := "", []any{}
	for place, i := range foundIn(f.hay, q.Question, q.TopK) {
		words := f.hay.Documents[i].DocumentText
		for _, s := range text.Sentences(words) {
			if text.Overlap(s, q.Question) > 0.05 {
				answer += fmt.Sprintf("- %s [%d]\n", s, place+1)
			}
		}
		if place < f.mangle {
			words = "Page 1\n" + words
		}
		sources = append(sources, map[string]any{"page": "\n" + strings.ReplaceAll(words, " ", "  "), "rank": place})
	}
	if f.form == "texts" || !q.Stream {
		w.Header().Set("Content-Type", "application/json")
	}
	if f.form == "texts" {
		f.say(w, map[string]any{"result": map[string]any{"text": answer, "who": r.Header.Get("Authorization")}, "sources": sources})
		return
	}
	f.chat(w, q.Stream, answer, sources)
}

func (f formed) say(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}

// chat answers as chat endpoints do: a first event with a role alone, comments, line ends of
// CRLF, a last event that counts tokens.
func (f formed) chat(w http.ResponseWriter, stream bool, answer string, sources []any) {
	type object = map[string]any
	usage := object{"prompt_tokens": 5, "completion_tokens": len(strings.Fields(answer))}
	if !stream {
		f.say(w, object{"choices": []any{object{"message": object{"content": answer}, "finish_reason": "stop"}}, "usage": usage, "context": sources})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(v object) {
		fmt.Fprint(w, "data: ")
		f.say(w, v)
		fmt.Fprint(w, "\r\n")
	}
	choice := func(delta object, reason any) []any {
		return []any{object{"index": 0, "delta": delta, "finish_reason": reason}}
	}
	event(object{"choices": choice(object{"role": "assistant", "content": nil}, nil), "context": sources})
	n := f.n.Add(1)
	for i, word := range strings.SplitAfter(answer, " ") {
		if f.drop > 0 && n%int64(f.drop) == 1 && i == 3 {
			return
		}
		fmt.Fprint(w, ": keep-alive\r\n\r\n")
		event(object{"choices": choice(object{"content": word}, nil)})
	}
	event(object{"choices": choice(object{}, "stop")})
	event(object{"choices": []any{}, "usage": usage})
	fmt.Fprint(w, "data: [DONE]\r\n\r\n")
}

// fakeOllama is a command for scripts: it serves until it is interrupted and
// writes its URL to a file.
func fakeOllama() {
	bad := flag.Int("misdeed", 0, "misbehaviour of every chat reply, by number")
	every := flag.Int("every", 1, "misbehave in every n-th reply only")
	words := flag.String("text", "", "answer of every reply without a schema")
	judge := flag.String("verdict", "", "answer of every reply with a schema")
	delay := flag.Duration("delay", 0, "time a reply takes")
	context := flag.Int("context", 0, "trained context of the model, in tokens; longer prompts are refused")
	builds := flag.Bool("careful", false, "answer the prompts of builds as a careful model would")
	names := flag.String("names", "fake:latest", "models on offer, with commas")
	flag.Parse()
	weights := fmt.Sprint(*bad, *every, *words, *judge, *builds)
	if weights == fmt.Sprint(0, 1, "", "", false) {
		weights = ""
	}
	s := &ollamatest.Server{Delay: *delay, Weights: weights, Logprobs: *builds, Context: *context,
		Names: strings.Split(*names, ","),
		Misdeed: func(n int, _ api.ChatRequest) ollamatest.Misbehavior {
			if n%*every == *every-1 {
				return ollamatest.Misbehavior(*bad)
			}
			return ollamatest.Behave
		},
		Answer: func(req api.ChatRequest) string {
			switch {
			case len(req.Format) > 0 && *judge != "":
				return *judge
			case len(req.Format) == 0 && *words != "":
				out, err := strconv.Unquote(`"` + *words + `"`)
				if err != nil {
					panic(err)
				}
				return out
			case *builds:
				return careful(req)
			}
			return ollamatest.Plausible(req)
		}}
	serve(s, flag.Arg(0))
}

// serve serves until it is interrupted, and writes its URL to a file.
func serve(handler http.Handler, file string) {
	h := httptest.NewServer(handler)
	defer h.Close()
	tmp := file + ".tmp"
	if err := os.WriteFile(tmp, []byte(h.URL), 0o666); err != nil {
		panic(err)
	}
	if err := os.Rename(tmp, file); err != nil {
		panic(err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	select {
	case <-stop:
	case <-time.After(5 * time.Minute): // a script that failed has left it
	}
}

// linesOf reads a file of JSON lines from a run folder, whatever the records say.
func linesOf[T any](dir, name string) ([]T, error) {
	return store.ReadChecked(dir, name, func(*T) error { return nil })
}
