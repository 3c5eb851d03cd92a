package main

import (
	"bytes"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// carryOutPaper carries out every command of the table "The paper, table by table" of a benchmark's
// page, in order. A word in large letters stands for something; one that nothing fills in is an error. What
// more adds to a command cuts it short: data that is needed whole would take minutes.
func carryOutPaper(t *testing.T, benchmark string, places func(*testing.T) map[string][]string, more func(args []string) []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + benchmark + ".md")
	if err != nil {
		t.Fatal(err)
	}
	commands := tableCommands(string(page))
	if len(commands) < 10 {
		t.Fatalf("the table has %d commands: the test proves nothing", len(commands))
	}

	fill := places(t) // which goes to a folder of its own
	for _, command := range commands {
		args, unknown := filledIn(command, fill)
		if len(unknown) > 0 {
			t.Errorf("%s: nobody knows what %s stands for; the test knows %s", command, unknown,
				slices.Sorted(maps.Keys(fill)))
			continue
		}
		if more != nil {
			args = append(args, more(args)...)
		}
		start := time.Now()
		var out bytes.Buffer
		if code := Main(args, &out, &out); code != exitOK {
			t.Errorf("%s: exit code %d\n%s", strings.Join(args, " "), code, out.String())
		}
		t.Logf("%4.1f s  %s", time.Since(start).Seconds(), command)
	}
}

// tableCommands are the commands of the table below the heading, in order, each once.
func tableCommands(page string) []string {
	_, section, _ := strings.Cut(page, "## The paper, table by table\n")
	section, _, _ = strings.Cut(section, "\n## ")

	var out []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for _, m := range regexp.MustCompile("`lore ([^`]+)`").FindAllStringSubmatch(line, -1) {
			if command := strings.TrimSpace(m[1]); !slices.Contains(out, command) {
				out = append(out, command)
			}
		}
	}
	return out
}

// placeholder is a word that stands for something: large letters, and numbers behind them.
var placeholder = regexp.MustCompile(`(?:ollama:|dense:|sparse:|cross:|nli:)?\b[A-Z][A-Z0-9_]*\b`)

// filledIn are the arguments of a command with what its placeholders stand for, and those that are unknown.
func filledIn(command string, fill map[string][]string) (args, unknown []string) {
	for _, field := range shellFields(command) {
		if all, ok := fill[field]; ok {
			args = append(args, all...)
			continue
		}
		args = append(args, placeholder.ReplaceAllStringFunc(field, func(word string) string {
			all, ok := fill[word]
			if !ok || len(all) != 1 {
				unknown = append(unknown, word)
				return word
			}
			return all[0]
		}))
	}
	return args, unknown
}
