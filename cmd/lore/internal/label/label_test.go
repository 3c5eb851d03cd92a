package label

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
)

// check is a check with all that any task shows.
func check(n int) datasets.Check {
	return datasets.Check{
		Query:     "What happened at the harbour?",
		Statement: fmt.Sprintf("Crane %d was sold.", n),
		Texts: []datasets.CheckText{
			{Title: "Answer", Units: []string{fmt.Sprintf("Crane %d was sold in spring.", n), "It stood on the pier."}},
			{Title: "Reference 1", Units: []string{fmt.Sprintf("In spring they sold crane %d.", n)}},
		},
		Options: []datasets.CheckOption{{Value: "1", Title: "cranes"}, {Value: "2", Title: "ships"}},
		Group:   fmt.Sprint("item", n%5),
		Key:     map[string]string{"subtopic": "1"},
		Claim:   float64(n % 2),
	}
}

// frame is one of n items for a task.
func frame(task string, n int) Frame {
	var checks []datasets.Check
	for i := range n {
		checks = append(checks, check(i))
	}
	f := FromData(checks, task, "hash")
	for i := range f.Units {
		f.Units[i].Cells[0].Question = fmt.Sprint("q", i)
	}
	return f
}

// plain is an answer that every field of the task accepts, the k-th option of each.
func plain(t Task, it Item, s *Sheet, k int) Answer {
	a := Answer{Fields: map[string][]string{}}
	for _, f := range t.Fields {
		options := f.Options
		if f.OwnOptions {
			options = it.Options
		}
		switch {
		case !f.asked(a):
		case f.Kind == Place:
			whole := []rune(s.Texts[it.Texts[0].Text].whole())
			a.Spans = map[string][]Span{f.Name: {{0, 0, 5, string(whole[:5])}}}
		case f.Kind == Unit:
			a.Fields[f.Name] = []string{"2"}
		default:
			a.Fields[f.Name] = []string{options[k%len(options)].Value}
		}
	}
	return a
}

func make1(t *testing.T, task string, n int, set Settings) (string, *Folder) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), task)
	tk, ok := FindTask(task)
	if !ok {
		t.Fatal(task)
	}
	sheet, plan, err := Make(frame(task, n), tk, "data", set)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, sheet, plan); err != nil {
		t.Fatal(err)
	}
	f, warnings, err := Read(dir)
	if err != nil || warnings != nil {
		t.Fatal(err, warnings)
	}
	return dir, f
}

func at(n int) time.Time { return time.Date(2026, 5, 1, 9, 0, n, 0, time.UTC) }

// Ten labels of each task by two people are saved, read back, and read by what judge validate
// reads.
func TestTenLabelsOfEachTask(t *testing.T) {
	for _, task := range Tasks() {
		t.Run(task.Name, func(t *testing.T) {
			dir, f := make1(t, task.Name, 20, Settings{Labels: 10, Correlation: 0.5, Annotators: []string{"anna", "ben"}, Shared: 1})
			desk, _, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			for p, name := range []string{"anna", "ben"} {
				order, _ := f.Sheet.OrderOf(name)
				if len(order) != 10 {
					t.Fatalf("%s has %d items", name, len(order))
				}
				for i, id := range order {
					a := plain(task, f.items[id], f.Sheet, i+p*(i%3/2))
					if _, err := desk.Save(Label{Plan: f.Plan.ID, Task: task.Name, Item: id, Annotator: name, Answer: &a, Seconds: 3, At: at(10*p + i)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := desk.Close(); err != nil {
				t.Fatal(err)
			}

			f, _, err = Read(dir)
			if err != nil || len(f.Labels) != 20 || len(f.Decide()) != 10 {
				t.Fatalf("%v: %d labels, %d decided", err, len(f.Labels), len(f.Decide()))
			}
			if l := f.Labels[0]; l.Stratum == "" || l.Probability <= 0 || l.Probability > 1 {
				t.Errorf("the label does not say how it was drawn: %+v", l)
			}
			var lines bytes.Buffer
			rows := f.Rows()
			for _, r := range rows {
				if err := json.NewEncoder(&lines).Encode(r); err != nil {
					t.Fatal(err)
				}
			}
			read, err := agreement.ReadJSONL("labels.jsonl", lines.Bytes())
			if err != nil {
				t.Fatalf("%v\n%s", err, lines.String())
			}
			n, rated := 0, 0
			for _, it := range read.Items {
				n += len(it.Human)
				for _, r := range it.Ratings {
					rated += len(r)
				}
			}
			if n != len(rows) || n < 10 || rated != 2*n {
				t.Errorf("%d of %d rows are read, with %d ratings", n, len(rows), rated)
			}
			if p := f.Progresses(); len(p) != 2 || p[0].Done != 10 || p[0].Seconds != 3 {
				t.Errorf("%+v", p)
			}
			if len(f.Agreements()) != len(measures(task)) {
				t.Errorf("agreement on %d of %d measures", len(f.Agreements()), len(measures(task)))
			}
			for _, e := range f.Estimates() {
				if math.IsNaN(e.Mean) || e.Labels != 10 || e.Of != 20 {
					t.Errorf("%s: %+v", e.Measure, e)
				}
			}
		})
	}
}

// Annotators see no name of a system, judge or item, and no score.
func TestItemsAreBlind(t *testing.T) {
	_, f := make1(t, Coverage, 20, Settings{Labels: 20, Correlation: 0.5})
	f.Sheet.Task = Task{} // its words are for all runs
	data, err := json.Marshal(f.Sheet)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"item1", "subtopic", "claim", "judge", "stratum", "score", "probability", "the data"} {
		if strings.Contains(strings.ToLower(string(data)), secret) {
			t.Errorf("items.json holds %q", secret)
		}
	}
}

// The same text of several systems is asked once, and counts for each.
func TestSameTextIsAskedOnce(t *testing.T) {
	g := newGatherer(Coverage)
	for s := range 3 {
		g.add(content{Statement: "x", Texts: []datasets.CheckText{{Title: "Answer", Units: []string{"a", "b"}}}, Group: "q"},
			Cell{Target: g.target(Target{Name: fmt.Sprint(s)}), Item: "q"})
	}
	if len(g.frame.Units) != 1 || len(g.frame.Units[0].Cells) != 3 || len(g.frame.Targets) != 3 {
		t.Errorf("%+v", g.frame)
	}
	if a, b := itemID(Coverage, content{Statement: "x"}), itemID(Errors, content{Statement: "x"}); a == b {
		t.Error("two tasks share an item")
	}
}

// With more labels a plan goes on where the smaller one ends.
func TestMoreLabelsGoOn(t *testing.T) {
	task, _ := FindTask(Coverage)
	fr := frame(Coverage, 60)
	small, p, err := Make(fr, task, "x", Settings{Labels: 20, Correlation: 0.5, Seed: 3, Annotators: []string{"a", "b"}, Shared: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	large, q, err := Make(fr, task, "x", Settings{Labels: 40, CutFor: p.CutFor, Correlation: 0.5, Seed: 3, Annotators: []string{"a", "b"}, Shared: 0.2})
	if err != nil || p.ID != q.ID {
		t.Fatal(err, p.ID, q.ID)
	}
	for i, d := range p.Draws[:20] {
		has := func(it Item) bool { return it.ID == d.Item }
		if q.Draws[i].Item != d.Item || !slices.ContainsFunc(large.Items, has) || !slices.ContainsFunc(small.Items, has) {
			t.Fatalf("item %d differs", i)
		}
	}
	byID := func(a, b Item) int { return strings.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(large.Items, byID) {
		t.Error("the order of the items is that of the draw, which tells strata")
	}
	for k := range small.Annotators {
		mine := small.Annotators[k].Items
		for _, id := range mine {
			if !slices.Contains(large.Annotators[k].Items[:min(len(large.Annotators[k].Items), len(mine)+block)], id) {
				t.Errorf("%s loses an item", small.Annotators[k].Name)
			}
		}
	}
	f := p.Forecasts([]int{20, 40, 60})
	if !(f[0].Half > f[1].Half && f[1].Half > f[2].Half && f[2].Half == 0) {
		t.Errorf("%+v", f)
	}
}

// Nine systems of different sizes and 180 labels: twenty of each, as many of a small one as of a large one, and a text
// that two systems gave is asked about once. The plan goes on as evenly, and is another than that by score.
func TestEvenly(t *testing.T) {
	task, _ := FindTask(Entailment)
	fr := frame(Entailment, 900)
	fr.Targets = nil
	for system := range 9 {
		fr.Targets = append(fr.Targets, Target{Name: fmt.Sprint("system ", system)})
	}
	for i := range fr.Units {
		system := min(i/25, 8) // eight of 25 answers each, and one of 700
		fr.Units[i].Cells[0].Target = system
		fr.Units[i].Cells[0].Proxy = float64(i%7) / 7
	}
	both := &fr.Units[0]
	both.Cells = append(slices.Clone(both.Cells), Cell{Target: 8, Item: both.Cells[0].Item, Question: "q0"})

	set := Settings{Labels: 180, Correlation: 0.9, Evenly: true, Seed: 5}
	_, p, err := Make(fr, task, "run", set)
	if err != nil || len(p.Strata) != 9 {
		t.Fatal(err, len(p.Strata))
	}
	for _, s := range p.Strata {
		if s.Labels != 20 || s.Probability != 20/float64(s.Size) {
			t.Errorf("%+v", s)
		}
	}

	set.Labels, set.CutFor = 198, p.CutFor
	_, more, err := Make(fr, task, "run", set)
	if err != nil || more.ID != p.ID || more.Draws[179].Item != p.Draws[179].Item || more.Strata[8].Labels != 22 {
		t.Errorf("%v %s %s %+v", err, more.ID, p.ID, more.Strata)
	}
	set.Evenly = false
	if _, other, err := Make(fr, task, "run", set); err != nil || other.ID == p.ID || len(other.Strata) < 18 {
		t.Errorf("%v, %d strata", err, len(other.Strata))
	}
}

// Undo takes back the last answer, and brings the one before it back.
func TestUndo(t *testing.T) {
	dir, f := make1(t, Coverage, 5, Settings{Labels: 5, Correlation: 0.5})
	desk, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	say := func(n int, item, what string) {
		t.Helper()
		a := Answer{Fields: map[string][]string{"coverage": {what}}}
		if _, err := desk.Save(Label{Task: Coverage, Item: item, Annotator: "anna", Answer: &a, At: at(n)}); err != nil {
			t.Fatal(err)
		}
	}
	one, two := f.Sheet.Items[0].ID, f.Sheet.Items[1].ID
	say(1, one, "none")
	say(2, two, "none")
	if err := f.Sheet.Check(f.items[one], Answer{Fields: map[string][]string{"coverage": {"full"}}}); err == nil {
		t.Error("full without the part that says it")
	}
	a := Answer{Fields: map[string][]string{"coverage": {"full"}, "part": {"1"}}}
	if _, err := desk.Save(Label{Task: Coverage, Item: one, Annotator: "anna", Answer: &a, At: at(3)}); err != nil {
		t.Fatal(err)
	}

	for i, want := range []string{"full", "none", "none", ""} {
		got, ok, err := desk.Undo(Label{Annotator: "anna", At: at(10 + i)})
		if err != nil || ok != (want != "") || ok && got.Answer.One("coverage") != want {
			t.Errorf("undo %d: %+v %v %v", i, got, ok, err)
		}
	}
	if n := len(desk.Folder().Decide()); n != 0 {
		t.Errorf("%d answers stand", n)
	}
}

// The adjudicator decides where the others differ; until then one stands by lot.
func TestAdjudication(t *testing.T) {
	dir, f := make1(t, Insight, 4, Settings{Labels: 4, Correlation: 0.5, Annotators: []string{"a", "b"}, Shared: 1, Adjudicator: "c"})
	desk, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	say := func(who, item, what string, last bool) error {
		a := Answer{Fields: map[string][]string{"present": {what}}}
		_, err := desk.Save(Label{Task: Insight, Item: item, Annotator: who, Answer: &a, At: at(1), Adjudicated: last})
		return err
	}
	one, two := f.Sheet.Items[0].ID, f.Sheet.Items[1].ID
	if err := errors.Join(say("a", one, "yes", false), say("b", one, "no", false), say("a", two, "no", false), say("b", two, "no", false)); err != nil {
		t.Fatal(err)
	}
	if s := desk.Folder().Split(); !slices.Equal(s, []string{one}) {
		t.Errorf("split: %v", s)
	}
	if err := say("a", one, "no", true); err == nil || !strings.Contains(err.Error(), "adjudicated by") {
		t.Errorf("anybody decides: %v", err)
	}
	if err := say("c", one, "no", true); err != nil {
		t.Fatal(err)
	}
	d := desk.Folder().Decide()[one]
	if !d.Adjudicated || d.Split || d.Answer.One("present") != "no" || d.how() != "adjudicated" {
		t.Errorf("%+v", d)
	}
	if err := say("eve", two, "no", false); err == nil || !strings.Contains(err.Error(), "the plan names [a b c]") {
		t.Errorf("strangers label: %v", err)
	}
}

// A torn last line is cut off with a warning; a second process is kept out; what is there is
// not saved again.
func TestTornLineAndLock(t *testing.T) {
	dir, f := make1(t, Insight, 4, Settings{Labels: 4, Correlation: 0.5})
	a := Answer{Fields: map[string][]string{"present": {"no"}}}
	label := Label{Task: Insight, Item: f.Sheet.Items[0].ID, Annotator: "a", Answer: &a, At: at(1)}
	desk, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir); !errors.Is(err, ErrBusy) {
		t.Errorf("two at once: %v", err)
	}
	if n, err := desk.Save(label, label); n != 1 || err != nil {
		t.Errorf("%d saved, %v", n, err)
	}
	if err := desk.Close(); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(dir, LabelsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(slices.Clone(whole), whole[:len(whole)/2]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, warnings, err := Read(dir); err != nil || len(warnings) != 1 || len(got.Labels) != 1 {
		t.Errorf("%v %v", warnings, err)
	}
	desk, warnings, err := Open(dir)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "the last line is torn") {
		t.Fatal(warnings, err)
	}
	if n, err := desk.Save(label); n != 0 || err != nil {
		t.Errorf("%d saved again, %v", n, err)
	}
	if err := desk.Close(); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, whole) {
		t.Errorf("the file is\n%s", now)
	}

	// Damage elsewhere is no crash: it is told with its line.
	if err := os.WriteFile(path, append([]byte("{\n"), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
}

// Labels by chance or by plan: verdicts of a run carry probabilities that add up to all there are.
func TestVerdictsStandForAll(t *testing.T) {
	_, f := make1(t, Coverage, 40, Settings{Labels: 30, Correlation: 0.5})
	for i, it := range f.Sheet.Items[:11] { // stopped early
		a := Answer{Fields: map[string][]string{"coverage": {"none"}}}
		f.Labels = append(f.Labels, Label{Task: Coverage, Item: it.ID, Annotator: "a", Answer: &a, At: at(i)})
	}
	verdicts, err := f.Verdicts()
	if err != nil || len(verdicts) != 11 {
		t.Fatal(len(verdicts), err)
	}
	sum := 0.0
	for _, v := range verdicts {
		sum += 1 / v.Probability
		if v.Label != judge.None || v.Stratum == "" {
			t.Errorf("%+v", v)
		}
	}
	if math.Abs(sum-40) > 1e-9 {
		t.Errorf("the labels stand for %g of 40 verdicts", sum)
	}
	if _, err := (&Folder{Plan: &Plan{Task: Errors}}).Verdicts(); err == nil {
		t.Error("errors of answers pass for verdicts")
	}
}

// What a stratum without labels stands for goes to its neighbour, wherever it lies.
func TestEmptyStrataAreJoined(t *testing.T) {
	f := &Folder{Plan: &Plan{Strata: make([]Stratum, 5)}}
	for h := range 5 {
		f.Plan.Strata[h].Name = fmt.Sprint(h)
	}
	got := f.join([]int{3, 4, 0, 5, 2}, []int{0, 2, 0, 0, 1})
	var names []string
	for _, g := range got {
		names = append(names, fmt.Sprintf("%s:%d/%d", g.name, g.labels, g.size))
	}
	if want := "0 + 1 + 3:2/12 0 + 1 + 3:2/12 :0/0 0 + 1 + 3:2/12 4:1/2"; strings.Join(names, " ") != want {
		t.Errorf("%s, want %s", strings.Join(names, " "), want)
	}
}

func TestEveryTaskExplainsItself(t *testing.T) {
	for _, task := range Tasks() {
		if len(task.Steps) < 2 || len(task.Examples) == 0 || task.Seconds == 0 || task.Source == "" || len(task.Fields) == 0 {
			t.Errorf("%s is not explained", task.Name)
		}
		for _, e := range task.Examples {
			for field := range e.Answer {
				if !slices.ContainsFunc(task.Fields, func(f Field) bool { return f.Name == field }) {
					t.Errorf("%s: the example answers %q", task.Name, field)
				}
			}
		}
		for _, f := range task.Fields {
			keys := map[string]bool{}
			for _, o := range f.Options {
				if o.Key == "" || keys[o.Key] || o.Title == "" {
					t.Errorf("%s, %s: the option %+v", task.Name, f.Name, o)
				}
				keys[o.Key] = true
			}
		}
	}
}

// Whatever a file holds, it is read or refused.
func FuzzLabels(f *testing.F) {
	task, _ := FindTask(Answerable)
	sheet, plan, err := Make(frame(Answerable, 4), task, "", Settings{Labels: 4, Correlation: 0.5})
	if err != nil {
		f.Fatal(err)
	}
	folder := &Folder{Sheet: sheet, Plan: plan, items: map[string]Item{}}
	for _, it := range sheet.Items {
		folder.items[it.ID] = it
	}
	a := plain(task, sheet.Items[0], sheet, 0)
	line, err := json.Marshal(Label{Task: Answerable, Item: sheet.Items[0].ID, Annotator: "a", Answer: &a, At: at(1)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(append(line, '\n'))
	f.Add(bytes.ReplaceAll(line, []byte(`"to":5`), []byte(`"to":500`)))
	f.Add([]byte("{}\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		labels, _, _, err := folder.ParseLabels("f", data)
		if err != nil {
			return
		}
		folder := *folder
		folder.Labels = labels
		folder.Decide()
		folder.Rows()
		folder.Estimates()
		folder.Progresses()
	})
}

// A folder may come from anybody: what is wrong with it is told, or harms nobody.
func FuzzFolder(f *testing.F) {
	for _, name := range []string{Answerable, Preference, Subtopic} {
		task, _ := FindTask(name)
		sheet, plan, err := Make(frame(name, 4), task, "", Settings{Labels: 3, Correlation: 0.5, Annotators: []string{"a", "b"}, Shared: 0.5})
		if err != nil {
			f.Fatal(err)
		}
		items, err1 := json.Marshal(sheet)
		key, err2 := json.Marshal(plan)
		if err := errors.Join(err1, err2); err != nil {
			f.Fatal(err)
		}
		f.Add(items, key)
	}
	f.Add([]byte("{}"), []byte("{}"))
	f.Fuzz(func(t *testing.T, items, key []byte) {
		folder := &Folder{Sheet: &Sheet{}, Plan: &Plan{}, items: map[string]Item{}}
		if json.Unmarshal(items, folder.Sheet) != nil || json.Unmarshal(key, folder.Plan) != nil || folder.valid() != nil {
			return
		}
		for i, it := range folder.Sheet.Items {
			a := Answer{Fields: map[string][]string{"answerable": {"yes"}, "better": {"a"}, "subtopics": {"1"}}}
			folder.Labels = append(folder.Labels, Label{Item: it.ID, Annotator: fmt.Sprint(i % 2), Answer: &a})
		}
		folder.Rows()
		folder.Estimates()
		folder.Differences()
		folder.Agreements()
		folder.Progresses()
		_, _ = folder.Verdicts()
		folder.Plan.Forecasts([]int{1, 1000})
	})
}
