package main

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"strconv"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/rogpeppe/go-internal/testscript"

	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
)

// asCommand makes the test binary behave as lore, for tests that must kill it.
const asCommand = "LORE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"lore": main, "fakeollama": fakeOllama, "testmodel": writeTestModel})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/cache")
			e.Setenv("SHARED", sharedDir())
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

// writeTestModel is a command for scripts: it writes a small ONNX model of a kind
// into a folder.
func writeTestModel() {
	if err := testmodel.Write(os.Args[2], testmodel.Kind(os.Args[1])); err != nil {
		panic(err)
	}
}

// fakeOllama is a command for scripts: it serves until it is interrupted and
// writes its URL to a file.
func fakeOllama() {
	bad := flag.Int("misdeed", 0, "misbehaviour of every chat reply, by number")
	every := flag.Int("every", 1, "misbehave in every n-th reply only")
	text := flag.String("text", "", "answer of every reply without a schema")
	judge := flag.String("verdict", "", "answer of every reply with a schema")
	delay := flag.Duration("delay", 0, "time a reply takes")
	careful := flag.Bool("careful", false, "answer the prompts of builds as a careful model would")
	flag.Parse()
	s := &ollamatest.Server{Delay: *delay, Logprobs: *careful,
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
			case len(req.Format) == 0 && *text != "":
				out, err := strconv.Unquote(`"` + *text + `"`)
				if err != nil {
					panic(err)
				}
				return out
			case *careful:
				return ollamatest.Careful(req)
			}
			return ollamatest.Plausible(req)
		}}
	h := httptest.NewServer(s)
	defer h.Close()
	tmp := flag.Arg(0) + ".tmp"
	if err := os.WriteFile(tmp, []byte(h.URL), 0o666); err != nil {
		panic(err)
	}
	if err := os.Rename(tmp, flag.Arg(0)); err != nil {
		panic(err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	select {
	case <-stop:
	case <-time.After(time.Minute):
	}
}
