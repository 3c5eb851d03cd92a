package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"golang.org/x/sys/unix"
)

// styling is the escape sequence of a style, the only one that tables may have.
var styling = regexp.MustCompile("\x1b\\[[0-9;]*m")

// openTerminal makes a pseudo-terminal of so many columns: what is written to its end comes out of it.
func openTerminal(t *testing.T, columns int) (terminal, end *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })

	fd := int(terminal.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	end, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(end.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	return terminal, end
}

// onTerminal is what lore prints on a terminal of so many columns.
func onTerminal(t *testing.T, columns int, dir, env string, args ...string) string {
	t.Helper()
	terminal, end := openTerminal(t, columns)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Stdout = dir, end
	cmd.Env = append([]string{asCommand + "=1", "TERM=xterm", "HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache")},
		strings.Fields(env)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end.Close() // the command has its own: the terminal ends when that ends

	out, _ := io.ReadAll(terminal) // a terminal whose end is closed reads as broken, with all that was written before
	if err := cmd.Wait(); err != nil {
		t.Fatalf("lore %v: %v\n%s", args, err, errs.String())
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

// On a terminal, tables fit its width, whole, and colours are used unless somebody objects.
func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	run := []string{"run", "summhay", "--retriever", "bm25,keywords,oracle", "--budget-tokens", "6000", "--out", "x"}
	if got := onTerminal(t, 80, dir, "", run...); !strings.Contains(got, "\x1b[1mretriever\x1b[0m") {
		t.Errorf("no heading is bold:\n%s", got)
	}
	if got := piped(t, dir, run...); strings.Contains(got, "\x1b") || strings.Contains(got, "part 1") {
		t.Errorf("in a pipe:\n%s", got)
	}

	report := []string{"report", "x"}
	file := piped(t, dir, report...)
	if strings.Contains(file, "\x1b") || !strings.Contains(file, "\nbm25       extractive  lexical  ") {
		t.Errorf("in a file:\n%s", file)
	}

	for _, width := range []int{60, 80, 100, 140, 250} {
		got := onTerminal(t, width, dir, "", report...)
		if !strings.Contains(got, "\x1b[1;32m") || !strings.Contains(got, "Green: the highest") {
			t.Errorf("%d: nothing is green:\n%s", width, got)
		}
		plain := styling.ReplaceAllString(got, "")
		if without := onTerminal(t, width, dir, "NO_COLOR=1", report...); without != withoutLegend(plain) {
			t.Errorf("%d: without colours:\n%s\nwith them:\n%s", width, without, plain)
		}
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%d: more than styles: %q", width, got)
		}

		for _, line := range strings.Split(plain, "\n") {
			if n := uniseg.StringWidth(line); n > width {
				t.Errorf("%q has %d cells, more than %d", line, n, width)
			}
		}
		for word := range strings.FieldsSeq(file) {
			if !strings.Contains(plain, word) {
				t.Errorf("%d: %q is lost", width, word)
			}
		}
	}
}

// The words of a command's other tables reach a terminal whole, too, and files of data cannot steer it.
func TestTerminalOfOtherVerbs(t *testing.T) {
	dir := t.TempDir()
	hostile := "a\x1b[31m\x1b]0;title\x07検索"
	if err := os.WriteFile(filepath.Join(dir, "answers.jsonl"), []byte(`{"item":"skellan_bay/turbines","answer":"None."}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	piped(t, dir, "run", "summhay", "--retriever", "bm25,keywords", "--answers", hostile+"=answers.jsonl", "--limit", "1", "--out", "x")
	for _, verb := range [][]string{
		{"report", "x"}, {"compare", "x"}, {"runs", "x"}, {"runs", "verify", "x"}, {"judge", "audit"},
		{"data", "list"}, {"prompts", "list"}, {"run", "-h"}, {"help", "judges"},
	} {
		got := onTerminal(t, 80, dir, "", verb...)
		plain := styling.ReplaceAllString(got, "")
		if strings.Contains(plain, "\x1b") || strings.Contains(got, "\x1b[31m\x1b") || strings.Contains(got, "\x07") {
			t.Errorf("lore %v steers the terminal: %q", verb, got)
		}
		for word := range strings.FieldsSeq(piped(t, dir, verb...)) {
			if !strings.Contains(plain, word) && !strings.Contains(strings.Join(strings.Fields(plain), ""), word) {
				t.Errorf("lore %v: %q is lost:\n%s", verb, word, plain)
			}
		}
	}
}

// withoutLegend leaves out the lines that say what is green.
func withoutLegend(s string) string {
	return regexp.MustCompile(`(?s)Green: .*?makes these\.\n`).ReplaceAllString(s, "")
}

// piped is what lore prints into a pipe.
func piped(t *testing.T, dir string, args ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = []string{asCommand + "=1", "TERM=xterm", "HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != exitPartial {
		t.Fatalf("lore %v: %v\n%s", args, err, errs.String())
	}
	return string(out)
}
