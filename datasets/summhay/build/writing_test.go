package build

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/summhay"
)

// A page asks for what a model is asked for, shows the documents that hold an insight, and none of the insights.
func TestWritingPages(t *testing.T) {
	ds, err := summhay.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := writingTasks(drawn(ds.Items, 0))
	if err != nil || len(tasks) != len(ds.Items) {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	tasks[0].Documents[0].Text += "</script><img src=x>"
	pages, err := writingPages(tasks, 2, 90)
	if err != nil || len(pages) != 2 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}

	seen := map[string]bool{}
	for _, p := range pages {
		if bytes.Contains(p.Data, []byte("</script><img")) || bytes.Contains(p.Data, []byte("http:")) || bytes.Contains(p.Data, []byte("https:")) {
			t.Errorf("%s: a text is markup, or something is asked for", p.Name)
		}
		_, data, _ := strings.Cut(string(p.Data), `type="application/json">`)
		data, _, _ = strings.Cut(data, "</script>")
		var page struct {
			Tasks   []writingTask
			Minutes int
		}
		if err := json.Unmarshal([]byte(data), &page); err != nil || page.Minutes != 90 {
			t.Fatalf("%s: %d minutes, %v", p.Name, page.Minutes, err)
		}
		for _, task := range page.Tasks {
			if seen[task.Item] {
				t.Errorf("%s is asked for twice", task.Item)
			}
			seen[task.Item] = true
			if task.Words != 300 || task.Bullets < 1 || !strings.Contains(task.Request, "Subject: ") || len(task.Documents) == 0 {
				t.Errorf("%s: %s, %d bullets, %d documents", task.Item, task.Request, task.Bullets, len(task.Documents))
			}
		}
		for _, it := range ds.Items {
			for _, insight := range it.Plan(datasets.Evidence{})[0].Questions {
				if strings.Contains(string(p.Data), insight.Text) {
					t.Errorf("%s has a reference insight of %s", p.Name, it.ID())
				}
			}
		}
	}
	if len(seen) != len(ds.Items) {
		t.Errorf("%d of %d items are asked for", len(seen), len(ds.Items))
	}
}

// Items come in turns from every haystack.
func TestDrawnEvenly(t *testing.T) {
	ds, err := summhay.Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := func(it datasets.Item) datasets.Item { return elsewhere{it} }
	items := append([]datasets.Item{}, ds.Items...)
	for _, it := range ds.Items[:2] {
		items = append(items, other(it))
	}
	groups := map[string]int{}
	for _, it := range drawn(items, 5) {
		groups[it.Group()]++
	}
	if groups["elsewhere"] != 2 || len(drawn(items, 0)) != len(items) || len(drawn(items, 1)) != 1 || len(drawn(items, 99)) != len(items) {
		t.Errorf("%v", groups)
	}
}

type elsewhere struct{ datasets.Item }

func (elsewhere) Group() string { return "elsewhere" }
