package view

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lore/cmd/lore/internal/label"
	"lore/datasets"
)

// labelling makes a labelling folder of coverage by two annotators and one who decides.
func labelling(t *testing.T) (string, *label.Sheet) {
	t.Helper()
	var checks []datasets.Check
	for i := range 12 {
		checks = append(checks, datasets.Check{
			Statement: fmt.Sprintf("The pool has %d lanes.", i),
			Texts:     []datasets.CheckText{{Title: "Answer", Units: []string{"It is open.", fmt.Sprintf("%d lanes.", i)}}},
			Group:     fmt.Sprint("topic", i%3), Key: map[string]string{"insight": "secret-insight"}, Claim: float64(i%2) * 0.875,
		})
	}
	task, _ := label.FindTask(label.Coverage)
	sheet, plan, err := label.Make(label.FromData(checks, label.Coverage, "hash"), task, "secretly-named", label.Settings{
		Labels: 8, Correlation: 0.5, Annotators: []string{"anna", "ben"}, Adjudicator: "carl", Shared: 1, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "coverage")
	if err := label.Write(dir, sheet, plan); err != nil {
		t.Fatal(err)
	}
	return dir, sheet
}

// say posts a label, and returns what the server answers.
func say(t *testing.T, s *Server, dir string, l label.Label) answer {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, s, "POST", "/label/"+idOf(dir)+"/labels", strings.NewReader(string(data)), nil)
}

func labelBy(who, item, coverage string, n int) label.Label {
	a := &label.Answer{Fields: map[string][]string{"coverage": {coverage}}}
	if coverage != "none" {
		a.Fields["part"] = []string{"2"}
	}
	at := time.Date(2025, 3, 1, 10, 0, n, 0, time.UTC)
	return label.Label{Task: label.Coverage, Item: item, Annotator: who, Answer: a, Seconds: 20, At: at, Adjudicated: who == "carl"}
}

// Labels are on disk once the server says so; what an annotator's page is told names no
// system, stratum or score; whoever decides sees what the others said, and not who.
func TestLabelsAreSavedBlind(t *testing.T) {
	dir, sheet := labelling(t)
	s, source := started(t, usual)
	source.labels = []string{dir}

	for n, it := range sheet.Items {
		for _, who := range []string{"anna", "ben"} {
			said := "none"
			if n%2 == 0 || who == "anna" && n == 1 {
				said = "full"
			}
			got := say(t, s, dir, labelBy(who, it.ID, said, n))
			if got.status != 200 || !strings.Contains(got.body, `"saved":"`+it.ID) {
				t.Fatalf("%s, item %d: status %d: %s", who, n, got.status, got.body)
			}
			data, err := os.ReadFile(filepath.Join(dir, label.LabelsFile))
			if lines := strings.Count(string(data), "\n"); err != nil || !strings.Contains(string(data), it.ID) || lines < n {
				t.Fatalf("%s is shown as saved, and on disk are %d lines (%v)", it.ID, lines, err)
			}
		}
	}

	told := ""
	for _, path := range []string{"/sheet", "/labels?annotator=anna", "/labels?annotator=ben", "/labels?annotator=carl"} {
		got := ask(t, s, "GET", "/label/"+idOf(dir)+path, nil, nil)
		if got.status != 200 {
			t.Fatalf("%s: status %d: %s", path, got.status, got.body)
		}
		if path == "/labels?annotator=carl" && (strings.Contains(got.body, "anna") || strings.Count(got.body, `"coverage":["none"]`) != 1) {
			t.Errorf("the one item on which they differ is told as %s", got.body)
		}
		told += got.body
	}
	for _, secret := range []string{"stratum", "probability", "secret", "0.875", "judge", "target"} {
		if strings.Contains(told, secret) {
			t.Errorf("annotators are told %q", secret)
		}
	}
	if !strings.Contains(told, `"course":[{`) || !strings.Contains(told, `"outlook":[{`) {
		t.Error("nobody is told how wide the intervals are")
	}
}

// A label that cannot be one is refused in words, and nothing is kept of it.
func TestWrongLabelsAreRefused(t *testing.T) {
	dir, sheet := labelling(t)
	s, source := started(t, usual)
	source.labels = []string{dir}
	item := sheet.Items[0].ID

	stranger := labelBy("zoe", item, "none", 1)
	unknown := labelBy("anna", "0123456789abcdef", "none", 1)
	nonsense := labelBy("anna", item, "perhaps", 1)
	halved := labelBy("anna", item, "full", 1)
	delete(halved.Answer.Fields, "part")
	usurped := labelBy("anna", item, "none", 1)
	usurped.Adjudicated = true
	for name, c := range map[string]struct {
		label label.Label
		says  string
	}{
		"of a stranger":      {stranger, "zoe"},
		"of an unknown item": {unknown, "no item"},
		"of no option":       {nonsense, "perhaps"},
		"without its part":   {halved, "part"},
		"with a last word":   {usurped, "carl"},
	} {
		if got := say(t, s, dir, c.label); got.status != 422 || !strings.Contains(got.body, c.says) {
			t.Errorf("%s: status %d: %s", name, got.status, got.body)
		}
	}
	for _, body := range []string{"", "{", "[]", `{"item":7}`, "null"} {
		got := ask(t, s, "POST", "/label/"+idOf(dir)+"/labels", strings.NewReader(body), nil)
		if got.status != 400 && got.status != 422 {
			t.Errorf("%q: status %d: %s", body, got.status, got.body)
		}
	}
	if got := ask(t, s, "GET", "/label/"+idOf(dir)+"/labels?annotator=zoe", nil, nil); got.status != 422 || !strings.Contains(got.body, "anna, ben") {
		t.Errorf("a stranger's seat: status %d: %s", got.status, got.body)
	}
	for _, path := range []string{"/label/000000000000", "/label/" + idOf(dir) + "/plan.json", "/label/..%2f..%2fetc/sheet", "/labels/" + idOf(dir)} {
		if got := ask(t, s, "GET", path, nil, nil); got.status != 404 && got.status != 301 && got.status != 307 {
			t.Errorf("%s: status %d: %s", path, got.status, got.body)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, label.LabelsFile)); err != nil || len(data) > 0 {
		t.Errorf("kept: %q (%v)", data, err)
	}
}

// A folder that another process keeps is waited for, and then said to be in use: the page
// shows the label as not saved.
func TestBusyFolder(t *testing.T) {
	dir, sheet := labelling(t)
	s, source := started(t, usual)
	source.labels = []string{dir}
	desk, _, err := label.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() {
		time.Sleep(300 * time.Millisecond)
		closed <- desk.Close()
	}()
	l := labelBy("anna", sheet.Items[0].ID, "none", 1)
	if got := say(t, s, dir, l); got.status != 200 {
		t.Errorf("after a while: status %d: %s", got.status, got.body)
	}
	if err := <-closed; err != nil {
		t.Fatal(err)
	}

	kept, _, err := label.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	if got := say(t, s, dir, labelBy("anna", sheet.Items[1].ID, "none", 2)); got.status != 409 || !strings.Contains(got.body, "another lore") {
		t.Errorf("all the time: status %d: %s", got.status, got.body)
	}
}

// A plan may be asked for and made; names that are none are refused before anybody draws.
func TestPlansFromThePage(t *testing.T) {
	dir := folderOf(t, "run", true)
	s, _ := started(t, usual, dir)
	for body, status := range map[string]int{
		`{"task":"coverage","labels":30}`:                         200,
		`{"task":"coverage","labels":30,"make":true}`:             200,
		`{"task":"nothing","labels":30}`:                          422,
		`{"task":"coverage","labels":30,"annotators":"a\u0001b"}`: 422,
		`{"task":"coverage","labels":"many"}`:                     400,
	} {
		got := ask(t, s, "POST", "/run/"+idOf(dir)+"/plan", strings.NewReader(body), nil)
		if got.status != status || strings.Contains(body, "true") != strings.Contains(got.body, `"id":"`) {
			t.Errorf("%s: status %d: %s", body, got.status, got.body)
		}
	}
	if got := ask(t, s, "GET", "/run/"+idOf(dir)+"/labelling", nil, nil); got.status != 200 || !strings.Contains(got.body, `"judges":["lexical"]`) {
		t.Errorf("status %d: %s", got.status, got.body)
	}
}
