package summhay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/agreement"
	"lore/local"
	"lore/local/files"
	"lore/local/text"
)

// recordedPrefix begins the keys of recorded judges in a file of human labels.
const recordedPrefix = "predictions_"

// LoadLabels reads human coverage labels of the published format, with the
// verdicts of the recorded judges that stand beside them.
func LoadLabels(path string) (agreement.Labels, error) {
	data, err := files.Read(path, "give the path of a labels file")
	if err != nil {
		return agreement.Labels{}, err
	}
	return ParseLabels(path, data)
}

// ParseLabels decodes a labels file; name stands in errors. Its notes count what is labelled twice, and what is not.
func ParseLabels(name string, data []byte) (agreement.Labels, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return agreement.Labels{}, &datasets.InputError{
			File:   name,
			Msg:    "is an object, as a haystack is, and not a list of labelled summaries",
			Remedy: "give the file of labels, such as the release's eval_benchmark_data.json",
		}
	}
	var out agreement.Labels
	var seen labelCounts
	err := files.EachValue(data, func(_ string, row map[string]json.RawMessage) error {
		it, err := seen.parse(row)
		if err != nil {
			return &datasets.InputError{
				File:  name,
				Place: fmt.Sprintf("summary %d", len(out.Items)+1),
				Msg:   err.Error(),
				Remedy: "a summary has summary, reference_insights and annotation " +
					"with insight_id, coverage and candidate_id",
				Err: err,
			}
		}
		it.Task.ID = fmt.Sprintf("%s#%d", it.System, len(out.Items)+1)
		out.Items = append(out.Items, it)
		return nil
	})

	var ours *datasets.InputError
	switch {
	case errors.As(err, &ours):
		return agreement.Labels{}, err
	case err != nil:
		var rows []json.RawMessage // whose error has its place in the file
		return agreement.Labels{}, decodeError(name, data, cmp.Or(json.Unmarshal(data, &rows), err))
	case len(out.Items) == 0:
		return agreement.Labels{}, &datasets.InputError{
			File:   name,
			Msg:    "has no labels",
			Remedy: "a labels file is a list of summaries with annotation",
		}
	}
	out.Notes = seen.notes()
	return out, nil
}

// labelCounts counts what a file of labels has twice, and what it lacks.
type labelCounts struct {
	insights, unlabelled  int            // of all summaries; without annotation
	doubled, contradicted int            // annotations of an insight that has one already; with another label
	recorded              map[string]int // verdicts of a recorded judge on an insight that has one already
	foreign               map[string]int // and on an insight that the summary does not have
}

// count counts a verdict of a recorded judge.
func count(of *map[string]int, key string) {
	if *of == nil {
		*of = map[string]int{}
	}
	(*of)[key]++
}

func (c *labelCounts) notes() []string {
	var out []string
	say := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(c.unlabelled, "%d of %d insights have no annotation, and are left out", c.unlabelled, c.insights)
	say(c.doubled, "%d annotations are of an insight that has one already, %d with another label; the last one counts; "+
		"labels of several people are measured from a CSV with a column annotator:NAME for each", c.doubled, c.contradicted)
	for _, key := range slices.Sorted(maps.Keys(c.recorded)) {
		say(c.recorded[key], "%d verdicts of %s are on an insight that has one already; the last one counts", c.recorded[key], key)
	}
	for _, key := range slices.Sorted(maps.Keys(c.foreign)) {
		say(c.foreign[key], "%d verdicts of %s are on an insight that their summary does not have; they are left out", c.foreign[key], key)
	}
	return out
}

// labelled is a summary with what people say of it. The verdicts of recorded judges stand
// beside these fields, under names that begin with recordedPrefix.
type labelled struct {
	TopicFile  string       `json:"topic_fn"`
	SubtopicID string       `json:"subtopic_id"`
	Topic      string       `json:"topic"`
	Subtopic   string       `json:"subtopic"`
	SummKey    string       `json:"summkey"`
	Summary    []string     `json:"summary"`
	Insights   []Insight    `json:"reference_insights"`
	Annotation []annotation `json:"annotation"`
}

// annotation is a person's verdict on an insight.
type annotation struct {
	InsightID   string          `json:"insight_id"`
	Coverage    string          `json:"coverage"`
	CandidateID json.RawMessage `json:"candidate_id"` // the line that covers it, from 0
}

// parse reads a labelled summary, and counts.
func (c *labelCounts) parse(row map[string]json.RawMessage) (agreement.Item, error) {
	whole, err := json.Marshal(row)
	if err != nil {
		return agreement.Item{}, err
	}
	var l labelled
	if err := json.Unmarshal(whole, &l); err != nil {
		return agreement.Item{}, err
	}

	if len(l.Insights) == 0 {
		return agreement.Item{}, errors.New("it has no reference_insights")
	}
	if _, ok := row["annotation"]; !ok {
		msg := "it has no annotation"
		if near := text.Nearest("annotation", slices.Sorted(maps.Keys(row))); near != "" {
			msg += fmt.Sprintf(": rename %q to annotation", near)
		}
		return agreement.Item{}, errors.New(msg)
	}
	it, err := l.item(c)
	if err != nil {
		return it, err
	}
	for key, raw := range row {
		if !strings.HasPrefix(key, recordedPrefix) {
			continue
		}
		var recorded []RecordedVerdict
		if err := json.Unmarshal(raw, &recorded); err != nil {
			return it, fmt.Errorf("%s: %w", key, err)
		}
		it.Recorded[key] = c.byQuestion(key, it.Task.Questions, recorded)
	}
	return it, nil
}

// item is the summary as a task with people's verdicts, which are counted.
func (l labelled) item(c *labelCounts) (agreement.Item, error) {
	system := strings.TrimPrefix(l.SummKey, summaryPrefix)
	it := agreement.Item{
		System:   system,
		Writer:   summariser(system),
		Group:    l.SubtopicID,
		Recorded: map[string][]judge.Verdict{},
		Task:     judge.Task{About: l.Subtopic, Units: l.Summary},
	}

	at := map[string]int{} // places by insight
	for _, in := range l.Insights {
		if _, dup := at[in.InsightID]; dup {
			return it, fmt.Errorf("insight %s is there twice", in.InsightID)
		}
		at[in.InsightID] = len(it.Task.Questions)
		question := judge.Question{ID: in.InsightID, Kind: judge.Coverage, Text: in.Insight}
		it.Task.Questions = append(it.Task.Questions, question)
		it.Human = append(it.Human, judge.Unscored(in.InsightID, local.Empty, "not labelled"))
		it.Columns = append(it.Columns, l.columns())
	}

	for _, a := range l.Annotation {
		k, ok := at[a.InsightID]
		label := recordedLabels[a.Coverage]
		if !ok || label == "" {
			return it, fmt.Errorf("annotation of insight %q with coverage %q: one of them is unknown",
				a.InsightID, a.Coverage)
		}
		if before := it.Human[k]; before.Scored() {
			c.doubled++
			if before.Label != label {
				c.contradicted++
			}
		}
		it.Human[k] = coverageVerdict(a.InsightID, label)

		n, err := strconv.Atoi(strings.Trim(string(a.CandidateID), `" `))
		switch {
		case err != nil: // such as "no_selection"
		case n < 0 || n >= len(l.Summary):
			return it, fmt.Errorf("annotation of insight %s selects line %d of %d", a.InsightID, n, len(l.Summary))
		default:
			it.Human[k].Unit = n + 1
		}
	}
	for _, h := range it.Human {
		c.insights++
		if !h.Scored() {
			c.unlabelled++
		}
	}
	return it, nil
}

// summariser is the model in the name of a recorded system: what stands behind the only "_", as the release
// takes such names apart.
func summariser(system string) string {
	if _, model, two := strings.Cut(system, "_"); two && !strings.Contains(model, "_") {
		return model
	}
	return system
}

// columns are what labels can be grouped by. The release has news and conversations; where its file's
// name does not say which, the topic of a conversation does.
func (l labelled) columns() map[string]string {
	texts := textsOf([]string{l.TopicFile})
	if texts == "" {
		texts = "news"
		for _, word := range []string{"conversation", "meeting", "dialogue"} {
			if strings.Contains(strings.ToLower(l.Topic), word) {
				texts = "conversations"
			}
		}
	}
	return map[string]string{
		"topic":               haystackKey(l.TopicFile),
		"summariser":          summariser(strings.TrimPrefix(l.SummKey, summaryPrefix)),
		agreement.TextsColumn: texts,
	}
}

// coverageVerdict is a verdict by its label.
func coverageVerdict(insight, label string) judge.Verdict {
	return judge.Verdict{Question: insight, Label: label, Value: judge.Values[judge.Coverage][label]}
}

// byQuestion puts the verdicts of a recorded judge into the order of the questions. The
// bullet is the number as recorded; what is not a number names no bullet.
func (c *labelCounts) byQuestion(key string, questions []judge.Question, recorded []RecordedVerdict) []judge.Verdict {
	by := map[string]RecordedVerdict{}
	for _, v := range recorded {
		if _, twice := by[v.InsightID]; twice {
			count(&c.recorded, key)
		}
		by[v.InsightID] = v
	}

	out := make([]judge.Verdict, len(questions))
	for i, q := range questions {
		v, ok := by[q.ID]
		if !ok {
			out[i] = judge.Unscored(q.ID, local.Empty, "the file has no verdict")
			continue
		}
		delete(by, q.ID)
		if out[i] = v.verdict(); out[i].Scored() && v.BulletID.Valid {
			out[i].Unit = v.BulletID.Number
		}
	}
	for range by {
		count(&c.foreign, key)
	}
	return out
}
