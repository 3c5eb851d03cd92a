package llm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"lore/judge"
	"lore/local"
	"lore/local/prompt"
)

// header is a prompt of another protocol: labels in capitals, bullets from 1, and text around the JSON.
const header = `---
reply:
  label: coverage
  bullet: bullet_id
  free: true
  labels:
    FULL_COVERAGE: full
    PARTIAL_COVERAGE: partial
    NO_COVERAGE: none
---
--- user
{{range $i, $u := .Units}}Bullet {{inc $i}}: {{$u}}
{{end}}
Insight: {{.Statement}}
{{.Form}}
`

// canned answers every call alike.
type canned struct {
	reply string
	calls []local.Call
}

func (c *canned) All(_ context.Context, calls []local.Call, done func(int, local.Reply)) error {
	c.calls = append(c.calls, calls...)
	for i := range calls {
		done(i, local.Reply{Text: c.reply, Outcome: local.OK})
	}
	return nil
}

func headed(t *testing.T, source string, c Caller, cfg Config) (*Judge, error) {
	t.Helper()
	own := fstest.MapFS{"judge/coverage.txt": {Data: []byte(source)}}
	return New(cfg, c, prompt.NewSet(own, Prompts()))
}

var twoUnits = []judge.Task{{ID: "t", Units: []string{"the ferry is late", "it rains"}, Questions: []judge.Question{
	{ID: "q", Kind: judge.Coverage, Text: "The ferry is late"}, {ID: "r", Kind: judge.Coverage, Text: "It rains"},
}}}

// Replies as models of other protocols write them are read by what the header says.
func TestRepliesOfAnotherForm(t *testing.T) {
	zero := strings.Replace(header, "  free: true\n", "  free: true\n  bullets_from: 0\n", 1)
	nested := strings.Replace(header, "label: coverage", "label: verdict.level", 1)
	plain := "---\nreply:\n  format: text\n  pattern: 'Level: *(?P<label>\\w+)(?: in (?P<bullet>\\d+))?'\n" +
		"  labels: {A: full, B: 0.5, C: none}\n---\n{{.Statement}}"
	for _, c := range []struct {
		name, source, reply string
		label               string
		unit                int
		reason              string
	}{
		{"text around", header, "Let me see.\n```json\n{\"coverage\": \"PARTIAL_COVERAGE\", \"bullet_id\": 2}\n```\nDone.", judge.Partial, 2, ""},
		{"small letters", header, `{"coverage": "full coverage", "bullet_id": "1"}`, judge.Full, 1, ""},
		{"the last counts", header, `{"coverage": "NO_COVERAGE"} no: {"coverage": "FULL_COVERAGE", "bullet_id": [2]}`, judge.Full, 2, ""},
		{"none without a bullet", header, `{"coverage": "NO_COVERAGE", "bullet_id": "NA"}`, judge.None, 0, ""},
		{"braces before", header, `{well} {"coverage": "NO_COVERAGE"}`, judge.None, 0, ""},
		{"unknown", header, `{"coverage": "COMPLETE", "bullet_id": 1}`, "", 0, `the label "COMPLETE" is not among those`},
		{"no object", header, `FULL_COVERAGE`, "", 0, `no JSON object with "coverage"`},
		{"null", header, `{"coverage": null, "bullet_id": 1}`, "", 0, `"coverage" of the reply is null`},
		{"other letters", header, `{"Coverage": "FULL_COVERAGE"}`, "", 0, `the reply has "Coverage", and the prompt's header "coverage"`},
		{"from 0", zero, `{"coverage": "FULL_COVERAGE", "bullet_id": 0}`, judge.Full, 1, ""},
		{"nested", nested, `{"verdict": {"level": "FULL_COVERAGE"}, "bullet_id": 1}`, judge.Full, 1, ""},
		{"text", plain, "Level: C? No.\nLevel: B in 2", judge.Partial, 2, ""},
		{"text without a match", plain, "None.", "", 0, "finds no label"},
	} {
		door := &canned{reply: c.reply}
		j, err := headed(t, c.source, door, Config{Batch: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		out, err := j.Judge(context.Background(), twoUnits, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := out[0][0]
		if v.Label != c.label || v.Unit != c.unit || !strings.Contains(v.Reason, c.reason) || v.Scored() != (c.reason == "") {
			t.Errorf("%s: %+v", c.name, v)
		}
		if len(door.calls) != 2 || door.calls[0].Schema != nil {
			t.Errorf("%s: %d calls, schema %s; such a prompt is asked singly and not held to a form", c.name, len(door.calls), door.calls[0].Schema)
		}
	}
}

// Without free the server holds the model to the form that the header says.
func TestHeaderIsASchema(t *testing.T) {
	door := &canned{reply: `{"coverage": "FULL_COVERAGE", "bullet_id": 1}`}
	j, err := headed(t, strings.Replace(header, "  free: true\n", "", 1), door, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Judge(context.Background(), twoUnits, nil); err != nil {
		t.Fatal(err)
	}
	call := door.calls[0]
	for _, part := range []string{`"FULL_COVERAGE"`, `"bullet_id"`, `[0,1,2]`} {
		if !strings.Contains(strings.ReplaceAll(string(call.Schema), " ", ""), part) {
			t.Errorf("the schema lacks %s: %s", part, call.Schema)
		}
	}
	said := call.Messages[0].Content
	for _, part := range []string{"Insight: The ferry is late\n", `"NO_COVERAGE" | "PARTIAL_COVERAGE" | "FULL_COVERAGE", "bullet_id": number`, "or 0 if there is none"} {
		if !strings.Contains(said, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, said)
		}
	}
}

// A header that cannot be used is refused with its line.
func TestWrongHeaders(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(header, old, new, 1) }
	for source, want := range map[string]string{
		with("NO_COVERAGE: none", "NO_COVERAGE: nothing"):        `line 9, in the header: "NO_COVERAGE" means "nothing"; labels of coverage are none, partial, full`,
		with("PARTIAL_COVERAGE: partial", "PARTIAL: partil"):     `line 8, in the header: "PARTIAL" means "partil"; did you mean partial?`,
		with("    NO_COVERAGE: none\n", ""):                      `line 6, in the header: no label means "none"`,
		with("PARTIAL_COVERAGE: partial", "full-coverage: none"): `two labels are "full-coverage" but for large letters`,
		with("label: coverage", "lable: coverage"):               `line 3, in the header: there is no key "lable"; did you mean label?`,
		with("  label: coverage\n", ""):                          `line 3, in the header: it does not say label`,
		with("free: true", "free: maybe"):                        `line 5, in the header: free: maybe is not true or false`,
		with("free: true", "bullets_from: 2"):                    `line 5, in the header: bullets_from: 2 is not 0 or 1`,
		with("reply:", "replies:"):                               `line 2, in the header: there is no key "replies"; the only one is reply`,
		with("---\n--- user", "--- user"):                        `line 1, begins a header with a line of ---, and no such line ends it`,
		with("  free: true", " free: true"):                      `in the header: this is not valid YAML`,
		with("free: true", "pattern: x"):                         `the pattern x has no group`,
		with("free: true", "format: text"):                       `format: text needs a pattern`,
		with("free: true", "tokens: 0"):                          `tokens: 0 is not a number from 1 to`,
		with("free: true", "label: again"):                       `line 5, in the header: label is said twice`,
		"---\n---\n{{.Question}}":                                `says nothing; it is to say reply:`,
		"---\n- a\n---\n{{.Question}}":                           `it is a list or a word`,
		with("{{.Statement}}", "{{.Statment"):                    `line 15, is not a valid template`,
		with("bullet: bullet_id", "bullet: coverage"):            `line 4, in the header: label and bullet are keys of their own, and coverage cannot be both`,
		with("bullet: bullet_id", "bullet: coverage.id"):         `line 4, in the header: label and bullet are keys of their own`,
		with("  bullet: bullet_id\n", "  bullets_from: 0\n"):     `line 4, in the header: bullets are counted from 0, and nothing says where`,
		with("bullet_id", "a..b"):                                `line 4, in the header: the key "a..b" has a dot with nothing`,
		"\n" + header:                                            `line 2, has a header that does not begin on line 1`,
		"{{/* of mine */}}\n" + header:                           `line 2, has a header that does not begin on line 1`,
		"Judge this.\n" + header:                                 `line 2, has a header that does not begin on line 1`,
		"-" + header:                                             `line 1, has a header that does not begin on line 1`,
		strings.TrimPrefix(header, "---\n"):                      `line 1, has a header that does not begin on line 1`,
		with("---\n--- user", "----\n--- user"):                  `no such line ends it; line 10 has more dashes`,
		texted(`"(?P<label>\w)"`):                                `line 4, in the header: this is not valid YAML: found unknown escape character; write the value between single quotes`,
		texted(`'(?P<label>\w) (?P<bulet>\d)'`):                  `line 4, in the header: the pattern has a group "bulet"; did you mean bullet?`,
		texted(`'(?P<label>FULL|NOTHING)'`):                      `line 4, in the header: the pattern finds "NOTHING", which is no label; labels are none, partial, full`,
		texted(`'(?P<label>\w)'` + "\n  bullets_from: 0"):        `line 5, in the header: bullets are counted from 0, and nothing says where`,
	} {
		_, err := headed(t, source, &canned{}, Config{})
		var bad *prompt.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n   got %v\n  want %s", source[:60], err, want)
		}
	}
	if _, err := headed(t, header, &canned{}, Config{Mode: Logprob}); err == nil || !strings.Contains(err.Error(), "line 3, has a header") {
		t.Errorf("with verdicts by token probabilities: %v", err)
	}
}

// texted is a prompt whose replies are text that a pattern reads.
func texted(pattern string) string {
	return "---\nreply:\n  format: text\n  pattern: " + pattern + "\n---\n{{.Question}} {{.Form}}"
}

// A label stands though its bullet is a list, no number, out of range or missing: the first of a list counts, else
// words link it, and the verdict shows what came.
func TestBulletsOfAnotherForm(t *testing.T) {
	zero := strings.Replace(header, "  free: true\n", "  free: true\n  bullets_from: 0\n", 1)
	plain := texted(`'Level: *(?P<label>\w+)(?: in (?P<bullet>\w+))?'`)
	for _, c := range []struct {
		source, reply string
		unit          int
		flag          string
	}{
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": [2]}`, 2, ""},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": "2"}`, 2, ""},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": [2, 1]}`, 2, "linked to the first of the bullets [2,1]"},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": "2, 1"}`, 2, `linked to the first of the bullets "2, 1"`},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": ["2", "1"]}`, 2, `linked to the first of the bullets ["2","1"]`},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": []}`, 1, `linked by word overlap: the reply's bullet [] is not a whole number`},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": "NA"}`, 1, `linked by word overlap: the reply's bullet "NA" is not a whole number`},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": 0}`, 1, `linked by word overlap: the reply's bullet 0 does not exist: they are counted from 1`},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": 3}`, 1, `linked by word overlap: the reply's bullet 3 does not exist: the answer has 2, counted from 1`},
		{header, `{"coverage": "FULL_COVERAGE", "bullet_id": null}`, 1, `linked by word overlap: the reply names no bullet`},
		{header, `{"coverage": "FULL_COVERAGE"}`, 1, `linked by word overlap: the reply names no bullet`},
		{zero, `{"coverage": "FULL_COVERAGE", "bullet_id": 2}`, 1, `linked by word overlap: the reply's bullet 2 does not exist: the answer has 2, counted from 0`},
		{plain, "Level: full in NA", 1, `linked by word overlap: the reply's bullet NA is not a whole number`},
		{plain, "Level: full", 1, `linked by word overlap: the reply names no bullet`},
		{texted(`'(?P<label>\w+)'`), "full", 1, "linked by word overlap"},
	} {
		j, err := headed(t, c.source, &canned{reply: c.reply}, Config{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := j.Judge(context.Background(), twoUnits, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := out[0][0]
		if v.Label != judge.Full || v.Unit != c.unit || strings.Join(v.Flags, "; ") != c.flag {
			t.Errorf("%s: %+v, want bullet %d, %q", c.reply, v, c.unit, c.flag)
		}
	}
}

// Where a prompt asks for no bullet and no word fits one, nothing is said to be linked.
func TestLinkedToNothing(t *testing.T) {
	j, err := headed(t, texted(`'(?P<label>\w+)'`), &canned{reply: "full"}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	task := judge.Task{ID: "t", Units: []string{"it rains"}, Questions: []judge.Question{{ID: "q", Kind: judge.Coverage, Text: "Zebras gallop"}}}
	out, err := j.Judge(context.Background(), []judge.Task{task}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := out[0][0]; v.Unit != 0 || len(v.Flags) != 1 || v.Flags[0] != judge.LinkedToNone {
		t.Errorf("%+v", v)
	}
}

// A plain prompt may have rules, and the word reply.
func TestNoHeader(t *testing.T) {
	for _, source := range []string{
		"{{.Question}}\n---\nReply:", "{{.Question}}\n---\n\nreply: yes or no\n", "reply: {{.Question}}\n  as it is", "Begin.\n-----\n{{.Question}}",
	} {
		if _, err := headed(t, source, &canned{}, Config{}); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}

// What {{.Form}} says is what the header reads.
func TestFormSaysWhatIsRead(t *testing.T) {
	nested := "---\nreply: {label: verdict.level, bullet: verdict.bullet}\n---\n{{.Form}}"
	for _, c := range []struct {
		source, says, reply string
		unit                int
	}{
		{texted(`'Level: *(?P<label>\w+)(?: in (?P<bullet>\d+))?'`), "one line such as: Level: full in 1\n", "Level: full in 2", 2},
		{texted(`'Level: *(?P<label>\w+)(?: in (?P<bullet>\d+))?'`), "give the number of the one that says it best", "Level: full", 1},
		{texted(`'^(?P<label>full|partial|none)$'`), "one line such as: full\n", "full", 1},
		{texted(`'(?P<label>full|partial|none).{3}'`), `Answer with one of "none", "partial", "full".`, "full...", 1},
		{nested, `{"verdict": {"level": "none" | "partial" | "full", "bullet": number}}`, `{"verdict": {"level": "full", "bullet": 2}}`, 2},
	} {
		door := &canned{reply: c.reply}
		j, err := headed(t, c.source, door, Config{})
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		out, err := j.Judge(context.Background(), twoUnits, nil)
		if err != nil {
			t.Fatal(err)
		}
		if said := door.calls[0].Messages[0].Content; !strings.Contains(said, c.says) {
			t.Errorf("%s\n says %s\n want %s", c.source, said, c.says)
		}
		if v := out[0][0]; v.Label != judge.Full || v.Unit != c.unit {
			t.Errorf("%s: %+v", c.source, v)
		}
		if nests := c.source == nested; nests != strings.Contains(string(door.calls[0].Schema), `"verdict"`) {
			t.Errorf("%s: schema %s", c.source, door.calls[0].Schema)
		}
	}
}

// Grades are numbers, and so is what they are worth: a header has the one or the other.
func TestGradesAndValues(t *testing.T) {
	for labels, want := range map[string]string{
		"{A: 0, B: 1, C: 2, D: 3, E: 4, F: 5}":         "0 1 2 3 4 5",
		"{A: 0, B: 0.2, C: 0.4, D: 0.6, E: 0.8, F: 1}": "0 1 2 3 4 5",
		"{A: 0, F: 1.0}":                         "0 5",
		"{A: 0, B: 1, F: 1.0, G: 5}":             `line 3, in the header: "F" means "1.0"; labels of answerability are 0, 1, 2, 3, 4, 5, worth 0, 0.2, 0.4, 0.6, 0.8, 1: write labels alone`,
		"{A: 0, B: 0.25, C: 0.5, D: 0.75, E: 1}": `line 3, in the header: "B" means "0.25"; labels of answerability are`,
		"{A: 0, B: 1}":                           `line 3, in the header: no label means "5"; labels of answerability are 0, 1, 2, 3, 4, 5, worth 0, 0.2`,
	} {
		p, err := prompt.Parse("judge/answerability.txt", "---\nreply:\n  labels: "+labels+"\n  label: grade\n---\n{{.Question}}")
		if err != nil {
			t.Fatal(err)
		}
		f, err := newReplyForm("judge/answerability.txt", judge.Answerability, p.Reply())
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", labels, err)
			}
			continue
		}
		var means []string
		for _, said := range f.said() {
			means = append(means, f.means[fold(said)])
		}
		if strings.Join(means, " ") != want {
			t.Errorf("%s means %v, want %s", labels, means, want)
		}
	}

	// A scale from 0 to 5 is not one from 1 to 5, though 0 is what its lowest grade is worth.
	p, err := prompt.Parse("judge/relevance.txt", "---\nreply:\n  labels: [0, 1, 2, 3, 4, 5]\n  label: grade\n---\n{{.Question}}")
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckReply("judge/relevance.txt", judge.Relevance, p.Reply()); err == nil || !strings.Contains(err.Error(), `"0" means "0"; labels of relevance are 1`) {
		t.Errorf("grades from 0 to 5 for relevance: %v", err)
	}
}

// Whatever a header and a reply hold, reading them ends, and no verdict is off its scale.
func FuzzReplyForm(f *testing.F) {
	f.Add(header, `{"coverage": "FULL_COVERAGE", "bullet_id": 1}`)
	f.Add("---\nreply: {format: text, pattern: '(?P<label>.)', labels: {a: full, b: none}}\n---\nx", "ab")
	f.Add("---\nreply: &a {label: *a}\n---\nx", "{{{{")
	f.Fuzz(func(t *testing.T, source, reply string) {
		door := &canned{reply: reply}
		j, err := headed(t, source, door, Config{})
		if err != nil {
			return
		}
		out, err := j.Judge(context.Background(), twoUnits, nil)
		if err != nil {
			return
		}
		for _, v := range out[0] {
			if _, known := judge.Values[judge.Coverage][v.Label]; v.Scored() && (!known || v.Unit < 0 || v.Unit > 2) {
				t.Errorf("%+v", v)
			}
		}
	})
}
