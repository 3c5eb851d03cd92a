package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"lore/judge"
)

// builder gathers rows about the same text into one task.
type builder struct {
	list []Item
	rows [][]Row // of each item
	at   map[[4]string]int
}

// add puts a row to its text.
func (b *builder) add(row Row) error {
	kind := cmp.Or(judge.Kind(row.Kind), judge.Coverage)
	row.Kind = string(kind)
	human, err := humanOf(kind, row)
	if err != nil {
		return err
	}
	if strings.TrimSpace(row.Statement) == "" {
		return errors.New("the statement is empty")
	}
	units := unitsOf(row.Text)
	if row.Unit < 0 || row.Unit > len(units) {
		return fmt.Errorf("unit %d of a text with %d lines", row.Unit, len(units))
	}

	// Rows about the same text share a task, wherever they stand in the file.
	key := [4]string{row.Group, row.System, row.About, row.Text}
	if b.at == nil {
		b.at = map[[4]string]int{}
	}
	k, ok := b.at[key]
	if !ok {
		k = len(b.list)
		b.at[key] = k
		b.list = append(b.list, Item{
			System: row.System,
			Group:  cmp.Or(row.Group, fmt.Sprintf("text %d", k+1)),
			Task:   judge.Task{ID: fmt.Sprintf("text-%d", k+1), About: row.About, Units: units},
		})
		b.rows = append(b.rows, nil)
	}

	it := &b.list[k]
	human.Question = fmt.Sprintf("q%d", len(it.Human)+1)
	it.Task.Questions = append(it.Task.Questions,
		judge.Question{ID: human.Question, Kind: kind, Text: row.Statement})
	it.Human = append(it.Human, human)
	it.Columns = append(it.Columns, row.Columns)
	b.rows[k] = append(b.rows[k], row)
	return nil
}

// humanOf is what people say in a row: the label with its value, or the value's nearest label. A row
// with annotators alone gets their mean later.
func humanOf(kind judge.Kind, row Row) (judge.Verdict, error) {
	v := judge.Verdict{Label: row.Label, Unit: row.Unit}
	value, ok := labelValue(kind, row.Label)
	switch {
	case judge.Values[kind] == nil:
		return v, fmt.Errorf("unknown kind %q; there are %v", row.Kind, judge.Kinds)
	case row.Label == "" && row.Value == nil && row.Annotators == nil:
		return v, fmt.Errorf("the label %q is not one of %v, and there is no value", row.Label, judge.Labels[kind])
	case row.Label != "" && !ok:
		return v, fmt.Errorf("the label %q is not one of %v", row.Label, judge.Labels[kind])
	case row.Label == "" && row.Value == nil:
		return Unlabelled(""), nil
	}

	v.Value = value
	if row.Value != nil {
		v.Value = *row.Value
	}
	switch {
	case v.Label == "":
		v.Label = nearest(kind, v.Value)
	case kind == judge.Entailment && v.Label == judge.Partial:
		v.Label = judge.Neutral // its value is that of a part
	}
	return v, nil
}

func unitsOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// items finishes the file: only now is it known on which scale its numbers are.
func (b *builder) items(name string) ([]Item, error) {
	if len(b.list) == 0 {
		return nil, fmt.Errorf("%s: no labels", name)
	}
	scales, err := b.scales()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for k := range b.list {
		for q, row := range b.rows[k] {
			if err := b.list[k].rate(q, row, scales); err != nil {
				return nil, fmt.Errorf("%s: the statement %.60q: %w", name, row.Statement, err)
			}
		}
	}
	return b.list, nil
}

// field is a column of ratings of one kind: each has its scale.
type field struct {
	kind     judge.Kind
	recorded bool
}

// scale is where the numbers of a field begin and end.
type scale struct{ low, high float64 }

func (b *builder) scales() (map[field]scale, error) {
	largest := map[field]float64{}
	for _, rows := range b.rows {
		for _, row := range rows {
			for f, list := range row.ratings() {
				for _, r := range list {
					if r.Number != nil {
						largest[f] = max(largest[f], *r.Number)
					}
				}
			}
		}
	}

	out := map[field]scale{}
	for _, kind := range judge.Kinds {
		for _, f := range []field{{kind, false}, {kind, true}} {
			low, high, err := scaleOf(kind, largest[f])
			if err != nil {
				return nil, err
			}
			out[f] = scale{low, high}
		}
	}
	return out, nil
}

func (r Row) ratings() map[field][]rating {
	kind := judge.Kind(r.Kind)
	return map[field][]rating{{kind, false}: r.Annotators, {kind, true}: r.Recorded}
}

// rate enters the ratings of question q.
func (it *Item) rate(q int, row Row, scales map[field]scale) error {
	question := it.Task.Questions[q]
	of := func(r rating, recorded bool) (judge.Verdict, error) {
		s := scales[field{question.Kind, recorded}]
		return r.verdict(question.ID, question.Kind, s.low, s.high)
	}

	if it.Ratings == nil {
		it.Ratings = make([]map[string]float64, len(it.Task.Questions))
	}
	sum := 0.0
	for _, r := range row.Annotators {
		if r.empty() {
			continue
		}
		v, err := of(r, false)
		if err != nil {
			return err
		}
		if it.Ratings[q] == nil {
			it.Ratings[q] = map[string]float64{}
		}
		it.Ratings[q][r.By] = v.Value
		sum += v.Value
	}
	if n := len(it.Ratings[q]); n > 0 && !it.Human[q].Scored() {
		mean := sum / float64(n)
		it.Human[q] = judge.Verdict{Question: question.ID, Value: mean, Unit: row.Unit,
			Label: nearest(question.Kind, mean)}
	}

	for _, r := range row.Recorded {
		if r.empty() {
			continue
		}
		v, err := of(r, true)
		if err != nil {
			return err
		}
		it.record(r.By, q, v)
	}
	return nil
}

// record enters the verdict of a recorded judge.
func (it *Item) record(key string, q int, v judge.Verdict) {
	if it.Recorded == nil {
		it.Recorded = map[string][]judge.Verdict{}
	}
	if it.Recorded[key] == nil {
		for _, question := range it.Task.Questions {
			it.Recorded[key] = append(it.Recorded[key], Unlabelled(question.ID))
		}
	}
	it.Recorded[key][q] = v
}
