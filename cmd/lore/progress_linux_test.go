package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lore/local/files"
	"lore/local/ollama/ollamatest"
)

// screenOf is what a terminal of so many columns shows after all that was written to it, a line each.
// It knows the few sequences that a bar needs.
func screenOf(written string, columns int) []string {
	var lines [][]rune
	row, col := 0, 0
	at := func() []rune {
		for len(lines) <= row {
			lines = append(lines, nil)
		}
		return lines[row]
	}
	for written != "" {
		if m := regexp.MustCompile("^\x1b\\[([0-9;]*)([A-Za-z])").FindStringSubmatch(written); m != nil {
			written = written[len(m[0]):]
			switch n, _ := strconv.Atoi(m[1]); m[2] {
			case "A":
				row = max(0, row-n)
			case "J":
				lines = append(lines[:min(row, len(lines))], at()[:min(col, len(at()))])
			}
			continue
		}
		r := []rune(written)[0]
		written = written[len(string(r)):]
		switch r {
		case '\r':
			col = 0
		case '\n':
			row++
			at()
		default:
			if col == columns {
				row, col = row+1, 0
			}
			line := at()
			for len(line) <= col {
				line = append(line, ' ')
			}
			line[col] = r
			lines[row] = line
			col++
		}
	}

	var out []string
	for _, l := range lines {
		out = append(out, strings.TrimRight(string(l), " "))
	}
	return out
}

// startedOn is lore with its messages on a terminal.
func startedOn(t *testing.T, end *os.File, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Stderr = dir, end
	cmd.Env = []string{asCommand + "=1", "TERM=xterm", "NO_COLOR=1", "HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// barArgs are a run of models that takes some seconds.
func barArgs(url string) []string {
	return []string{"run", "summhay", "--host", url, "--retriever", "oracle", "--limit", "3", "--budget-tokens", "1000", "--slots", "2",
		"--generator", "ollama:fake", "--judge", "lexical+ollama:fake,ollama:fake", "--average", "--out", "x"}
}

// On a terminal there is one bar. It fits its line, notes stand above it whole, and nothing of it is left.
func TestBar(t *testing.T) {
	for _, columns := range []int{40, 120} {
		server := &ollamatest.Server{Slots: 2, Delay: 200 * time.Millisecond, Answer: ollamatest.Plausible}
		url := server.Start(t).URL
		terminal, end := openTerminal(t, columns)
		cmd := startedOn(t, end, t.TempDir(), barArgs(url)...)
		end.Close()
		data, _ := io.ReadAll(terminal)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}

		written := string(data)
		drawn := regexp.MustCompile(`[^\r\n\x1b]*[0-9]/15[^\r\n\x1b]*`).FindAllString(written, -1)
		if len(drawn) < 3 {
			t.Errorf("%d columns: %d bars:\n%q", columns, len(drawn), written)
		}
		for _, line := range drawn {
			line = strings.TrimPrefix(line, "[J") // what is behind the line before is wiped
			if n := len([]rune(line)); n >= columns {
				t.Errorf("%d columns: %q has %d", columns, line, n)
			}
		}
		if columns == 120 && !strings.Contains(written, "[=") {
			t.Errorf("no bar is drawn:\n%q", written)
		}

		screen := strings.Join(screenOf(written, columns), "\n")
		flat := strings.Join(strings.Fields(strings.ReplaceAll(screen, "\n", "")), "")
		if strings.Contains(screen, "/15") || !strings.HasPrefix(flat, "note:lexical+ollama:fake(average2:1)askedthesecondjudge15of15questions"+
			"andsavedtheother0") || !strings.Contains(flat, "Runfolder:x") {
			t.Errorf("%d columns: the screen shows\n%s", columns, screen)
		}
	}
}

// Ctrl-C takes the bar away, and says how much is done and how to go on.
func TestInterruptedBar(t *testing.T) {
	server := &ollamatest.Server{Slots: 1, Delay: 300 * time.Millisecond, Answer: ollamatest.Plausible}
	url := server.Start(t).URL
	terminal, end := openTerminal(t, 100)
	dir := t.TempDir()
	args := append(barArgs(url), "--title", "it's mine")
	cmd := startedOn(t, end, dir, args...)
	end.Close()
	for server.Count() < 8 { // some seconds: there is a bar
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(terminal)
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), data)
	}

	var screen []string
	for _, line := range screenOf(string(data), 10_000) {
		if line != "" {
			screen = append(screen, line)
		}
	}
	said := regexp.MustCompile(`^lore: interrupted; (?:[0-9]+ % is done|of "judge by [^"]*" [0-9]+ of 15 are done)\n +nothing is lost: [0-9]+ finished calls to models and whole files are ` +
		`kept; run the same command again to resume from them:\n +(.*)$`).FindStringSubmatch(strings.Join(screen, "\n"))
	if said == nil {
		t.Fatalf("the screen shows\n%s", strings.Join(screen, "\n"))
	}

	// The command that it names goes on, in a shell.
	again := exec.Command("sh", "-c", said[1]+" --progress none")
	again.Dir, again.Env = dir, cmd.Env
	out, err := again.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("Run folder: x")) {
		t.Errorf("%s: %v\n%s", said[1], err, out)
	}
	asked := regexp.MustCompile(`(?m)^ollama:fake:latest +([0-9]+) +([0-9]+) `).FindSubmatch(out)
	if asked == nil || string(asked[2]) == "0" {
		t.Errorf("nothing was kept:\n%s", out)
	}
	if manifest, err := os.ReadFile(filepath.Join(dir, "x", "manifest.json")); err != nil || !bytes.Contains(manifest, []byte("it's mine")) {
		t.Errorf("the title was lost: %v", err)
	}
}

// A closed terminal ends a run as Ctrl-C does, but not one that is to outlive it.
func TestHangUp(t *testing.T) {
	for _, outlives := range []bool{false, true} {
		server := &ollamatest.Server{Delay: 50 * time.Millisecond, Answer: ollamatest.Plausible}
		url := server.Start(t).URL
		args := append([]string{"-c", `"$@"; exit $?`, "sh", os.Args[0]}, barArgs(url)...)
		if outlives {
			args[1] = `trap "" HUP; "$@"; exit $?`
		}
		cmd := exec.Command("sh", args...)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{asCommand + "=1", "HOME=" + cmd.Dir, "XDG_CACHE_HOME=" + filepath.Join(cmd.Dir, "cache"), "PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for server.Count() < 3 {
			time.Sleep(5 * time.Millisecond)
		}
		waitForFile(t, filepath.Join(cmd.Dir, "x", ".progress.json"))
		if outlives {
			_ = unix.Kill(-cmd.Process.Pid, unix.SIGHUP)
		} else {
			hangUpLore(t, cmd.Dir)
		}
		_ = cmd.Wait()
		want := exitInterrupted
		if outlives {
			want = exitOK
		}
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("outlives %v: exit code %d, want %d", outlives, got, want)
		}
	}
}

// hangUpLore tells the process of a run that its terminal is gone.
func hangUpLore(t *testing.T, dir string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "x", ".progress.json"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(regexp.MustCompile(`"process": ([0-9]+)`).FindSubmatch(data)[1]))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(pid, unix.SIGHUP); err != nil {
		t.Fatal(err)
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"run": "run", "--judge": "--judge", "ollama:qwen3:8b": "ollama:qwen3:8b", "": "''", "a b": "'a b'", "it's": `'it'\''s'`,
		"rrf(bm25,dense:m)>rerank:llm:x@3": "'rrf(bm25,dense:m)>rerank:llm:x@3'", "X: $KEY": "'X: $KEY'", "é": "é", "a\u00a0b": "'a\u00a0b'", "a\nb": "'a\nb'", "~/x": "'~/x'",
	} {
		if got := files.Quoted(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+files.Quoted(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: a shell reads %q, %v", word, out, err)
		}
	}
}
