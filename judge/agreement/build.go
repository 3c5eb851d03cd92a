package agreement

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"lore/judge"
	"lore/local/files"
	"lore/local/text"
)

// builder gathers rows about the same text into one task.
type builder struct {
	list []Item
	rows [][]Row // of each item
	at   map[[4]string]int

	blank   int                         // rows without a label
	asked   map[[6]string]judge.Verdict // questions so far
	again   int                         // rows that ask once more
	differ  int                         // of these, those with another label
	strange map[string]bool             // columns without a meaning: do they hold labels alone?
	spelt   map[string]bool             // labels as they are written
}

// add puts a row to its text.
func (b *builder) add(row Row) error {
	kind := cmp.Or(judge.Kind(strings.ToLower(row.Kind)), judge.Coverage)
	row.Kind = string(kind)
	if row.unlabelled() {
		b.blank++
		return nil
	}
	row.written, row.Label = row.Label, labelOf(kind, row.Label)
	human, err := humanOf(kind, row)
	if err != nil {
		return err
	}
	if strings.TrimSpace(row.Statement) == "" {
		return &files.Error{Msg: "the statement is empty", Remedy: "write what the label is about"}
	}
	units := unitsOf(row.Text)
	if row.Unit < 0 || row.Unit > len(units) {
		return &files.Error{
			Msg:    fmt.Sprintf("unit %d of a text with %d lines", row.Unit, len(units)),
			Remedy: "units are the text's lines that are not blank, from 1",
		}
	}
	b.look(kind, row, human)
	if err := b.spelling(row); err != nil {
		return err
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
		return v, unknownKind(row.Kind)
	case row.Label != "" && !ok:
		return v, badLabel(kind, row.Label, "")
	case row.Label == "" && row.Value == nil:
		return Unlabelled(""), nil
	}

	v.Value = value
	if row.Value != nil {
		v.Value = *row.Value
	}
	if row.Label != "" && math.Abs(v.Value-value) > mostApart {
		return v, &files.Error{
			Msg:    fmt.Sprintf("the label %s and the value %g contradict each other", row.Label, v.Value),
			Remedy: fmt.Sprintf("%s is worth %g, and values go from 0 for nothing to 1; leave one of them out", row.Label, value),
		}
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

// unlabelled reports whether nobody says anything in a row.
func (r Row) unlabelled() bool {
	said := func(r rating) bool { return !r.empty() }
	return r.Label == "" && r.Value == nil && !slices.ContainsFunc(r.Annotators, said)
}

// mostApart is how far a label and a value may be apart: a value may be the mean of several people,
// and the label what most of them say.
const mostApart = 0.7

func unknownKind(kind string) error {
	var names []string
	for _, k := range judge.Kinds {
		names = append(names, string(k))
	}
	remedy := "write one of them"
	if near := text.Nearest(kind, names); near != "" {
		remedy = "did you mean " + near + "?"
	}
	return &files.Error{Msg: fmt.Sprintf("unknown kind %q; there are %v", kind, names), Remedy: remedy}
}

// labels finishes the file: only now is it known on which scale its numbers are.
func (b *builder) labels(name string) (Labels, error) {
	if len(b.list) == 0 {
		return Labels{}, b.nothing(name)
	}
	scales, err := b.scales(name)
	if err != nil {
		return Labels{}, err
	}
	for k := range b.list {
		for q, row := range b.rows[k] {
			if err := b.list[k].rate(q, row, scales); err != nil {
				return Labels{}, placed(name, row.line, err)
			}
		}
	}
	return Labels{b.list, b.notes(scales)}, nil
}

// field is a column of ratings of one kind: each has its scale.
type field struct {
	kind     judge.Kind
	recorded bool
}

// scale is where the numbers of a field begin and end.
type scale struct{ low, high float64 }

func (b *builder) scales(name string) (map[field]scale, error) {
	largest, line := map[field]float64{}, map[field]int{}
	for f, r := range b.numbers() {
		if r.Number > largest[f] {
			largest[f], line[f] = r.Number, r.line
		}
	}

	out := map[field]scale{}
	for _, kind := range judge.Kinds {
		for _, f := range []field{{kind, false}, {kind, true}} {
			low, high, err := scaleOf(kind, largest[f])
			if err != nil {
				return nil, placed(name, line[f], err)
			}
			out[f] = scale{low, high}
		}
	}
	return out, nil
}

// placedNumber is a number with its line.
type placedNumber struct {
	Number float64
	line   int
}

// numbers are all ratings that are numbers.
func (b *builder) numbers() iter.Seq2[field, placedNumber] {
	return func(yield func(field, placedNumber) bool) {
		for _, rows := range b.rows {
			for _, row := range rows {
				for f, list := range row.ratings() {
					for _, r := range list {
						if r.Number != nil && !yield(f, placedNumber{*r.Number, row.line}) {
							return
						}
					}
				}
			}
		}
	}
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
