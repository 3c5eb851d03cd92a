package build

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/summhay"
	"lore/local/files"
)

// writingTask is a summary that a person is asked for. It holds nothing of the reference insights.
type writingTask struct {
	Item      string            `json:"item"`
	Request   string            `json:"request"`
	Bullets   int               `json:"bullets"`
	Words     int               `json:"words"`
	Documents []writingDocument `json:"documents"`
}

type writingDocument struct {
	Label string `json:"label"` // by which it is cited
	Text  string `json:"text"`
}

// writingPage is a file that a person opens in a browser. It keeps the time, and asks nobody for anything.
//
//go:embed writing.html
var writingPage []byte

// writingMark is where the tasks stand in the page.
const writingMark = "TASKS"

func newWriting(fl *flag.FlagSet) datasets.Job {
	out := fl.String("out", "writing", "output `folder`")
	summaries := fl.Int("summaries", 10, "summaries to ask for, as evenly from all haystacks as can be; 0 is one of every subtopic")
	writers := fl.Int("writers", 1, "people who share them, each with a page of their own")
	minutes := fl.Int("minutes", 120, "time for a summary; the page stops then")

	return func(_ context.Context, w datasets.Workshop, args []string) (datasets.Outcome, error) {
		var none datasets.Outcome
		switch {
		case *summaries < 0:
			return none, datasets.Usagef("--summaries cannot be negative")
		case *writers < 1 || *writers > 100:
			return none, datasets.Usagef("--writers is from 1 to 100")
		case *minutes < 1 || *minutes > 24*60:
			return none, datasets.Usagef("--minutes is from 1 to 1440")
		}

		ds, err := w.Load(summhay.Benchmark{}.Name(), args)
		if err != nil {
			return none, err
		}
		tasks, err := writingTasks(drawn(ds.Items, *summaries))
		if err != nil {
			return none, err
		}
		if len(tasks) < *writers {
			return none, datasets.Usagef("there are %d summaries for %d writers", len(tasks), *writers)
		}

		pages, err := writingPages(tasks, *writers, *minutes)
		if err != nil {
			return none, err
		}
		lines, err := datasets.WriteSheets(*out, pages, "choose another --out")
		if err != nil {
			return none, err
		}
		next := "when they are written and saved, " + scoringCommand(args, tasks, len(ds.Items), *writers)
		return datasets.Outcome{Lines: lines, Next: []string{next}}, nil
	}
}

// savedAs is the file that the page of one of some writers saves, counted from 0.
func savedAs(writer, writers int) string {
	if writers == 1 {
		return "human.jsonl"
	}
	return fmt.Sprintf("human%d.jsonl", writer+1)
}

// scoringCommand scores what people write, as one system. Items that nobody was asked for are left out.
func scoringCommand(data []string, tasks []writingTask, all, writers int) string {
	command := "lore run summhay"
	for _, d := range data {
		command += " " + files.Quoted(d)
	}
	saved := make([]string, writers)
	for i := range saved {
		saved[i] = savedAs(i, writers)
		if writers > 1 {
			saved[i] = "human=" + saved[i]
		}
	}
	command += " --answers " + strings.Join(saved, ",")
	if len(tasks) == all {
		return command
	}
	var ids []string
	for _, t := range tasks {
		ids = append(ids, t.Item)
	}
	return command + " --item " + files.Quoted(strings.Join(ids, ","))
}

// drawn are n of the items, in turns from every haystack, in an order that does not change; all for 0.
func drawn(items []datasets.Item, n int) []datasets.Item {
	by := map[string][]datasets.Item{}
	for _, it := range items {
		by[it.Group()] = append(by[it.Group()], it)
	}
	hash := func(it datasets.Item) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(it.ID()))) }
	for _, of := range by {
		slices.SortFunc(of, func(a, b datasets.Item) int { return cmp.Compare(hash(a), hash(b)) })
	}

	var out []datasets.Item
	for len(out) < len(items) {
		for _, group := range slices.Sorted(maps.Keys(by)) {
			if len(by[group]) == 0 {
				continue
			}
			if n > 0 && len(out) == n {
				return out
			}
			out, by[group] = append(out, by[group][0]), by[group][1:]
		}
	}
	return out
}

// writingTasks asks for the items as a model is asked, with the documents that the oracle shows, in the haystack's order.
func writingTasks(items []datasets.Item) ([]writingTask, error) {
	var out []writingTask
	for _, it := range items {
		request, bullets, words, ok := summhay.Ask(it)
		if !ok {
			return nil, fmt.Errorf("%s is no item of SummHay", it.ID())
		}
		task := writingTask{Item: it.ID(), Request: request, Bullets: bullets, Words: words}
		q := it.Query()
		for i, d := range it.Corpus().Documents {
			if q.Gold[d.ID] > 0 {
				task.Documents = append(task.Documents, writingDocument{Label: fmt.Sprint(i + 1), Text: d.Text})
			}
		}
		out = append(out, task)
	}
	return out, nil
}

// writingPages deals tasks out, a page for each writer.
func writingPages(tasks []writingTask, writers, minutes int) ([]datasets.Sheet, error) {
	out := make([]datasets.Sheet, writers)
	for i := range out {
		var own []writingTask
		for k := i; k < len(tasks); k += writers {
			own = append(own, tasks[k])
		}
		// JSON as Go writes it has no "<", so that no text can end the element that holds it.
		data, err := json.Marshal(map[string]any{"tasks": own, "minutes": minutes, "file": savedAs(i, writers)})
		if err != nil {
			return nil, err
		}
		out[i] = datasets.Sheet{
			Name: fmt.Sprintf("writing%d.html", i+1),
			Data: bytes.Replace(writingPage, []byte(writingMark), data, 1),
		}
	}
	return out, nil
}
