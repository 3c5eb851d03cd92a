package agreement

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local/files"
)

// rating is what one person, or one recorded judge, says: a number or a label.
type rating struct {
	By     string
	Label  string   // one of the kind's labels, or partial for entailment
	Number *float64 // a value in [0,1], or a grade
	Unit   int
}

// empty reports whether there is no rating.
func (r rating) empty() bool { return r.Label == "" && r.Number == nil }

// setJSON sets a field of a row of JSON. null is nothing.
func (r *Row) setJSON(name string, raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	if string(raw) == "null" {
		return nil
	}
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return r.setText(name, s)
	}
	switch name {
	case "annotators", "recorded":
		return r.setRatings(name, raw)
	case "value":
		if raw[0] == 't' || raw[0] == 'f' {
			return &files.Error{Msg: fmt.Sprintf("value %s is not a number from 0 to 1", raw), Remedy: valueRemedy}
		}
	case "kind", "group", "system", "about", "text", "statement":
		if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
			return fmt.Errorf("%s is no text", name)
		}
	}
	return r.setText(name, string(raw))
}

// setText sets a field of a row by its words, as CSV has it.
func (r *Row) setText(name, value string) error {
	texts := map[string]*string{
		"kind":      &r.Kind,
		"group":     &r.Group,
		"system":    &r.System,
		"about":     &r.About,
		"text":      &r.Text,
		"statement": &r.Statement,
		"label":     &r.Label,
	}
	if into := texts[name]; into != nil {
		*into = value
		switch name {
		case "kind", "group", "system", "label":
			*into = strings.TrimSpace(value)
		}
		return nil
	}

	value = strings.TrimSpace(value)
	if value == "" || name == "" {
		return nil
	}
	person, rates := strings.CutPrefix(name, annotatorPrefix)
	by, single := strings.CutPrefix(name, recordedPrefix)
	switch {
	case name == "value":
		v, ok := number(value)
		if !ok || v < 0 || v > 1 {
			return &files.Error{Msg: fmt.Sprintf("value %q is not a number from 0 to 1", value), Remedy: valueRemedy}
		}
		r.Value = &v
	case name == "unit":
		v, ok := number(value)
		if !ok || v != math.Trunc(v) || math.Abs(v) > 1e9 {
			return &files.Error{Msg: fmt.Sprintf("unit %q is not a number", value), Remedy: "it counts the text's lines from 1"}
		}
		r.Unit = int(v)
	case name == "annotators", name == "recorded":
		return r.setRatings(name, []byte(value))
	case rates:
		r.Annotators = append(r.Annotators, ratingOf(person, value))
	case single:
		r.Recorded = append(r.Recorded, ratingOf(by, value))
	default:
		if r.Columns == nil {
			r.Columns = map[string]string{}
		}
		r.Columns[name] = value
	}
	return nil
}

// setRatings reads an object of ratings by name, or a list by place. A cell of CSV may hold JSON,
// a list or dictionary as Python prints it, or ratings with semicolons between them.
func (r *Row) setRatings(name string, data []byte) error {
	list, err := parseRatings(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if name == "recorded" {
		r.Recorded = append(r.Recorded, list...)
	} else {
		r.Annotators = append(r.Annotators, list...)
	}
	return nil
}

func parseRatings(data []byte) ([]rating, error) {
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		var out []rating
		for i, s := range strings.Split(string(data), ";") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, ratingOf(strconv.Itoa(i+1), s))
			}
		}
		return out, nil
	}
	if !json.Valid(data) {
		data = asJSON(data)
	}

	var named map[string]json.RawMessage
	if data[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, err
		}
		named = map[string]json.RawMessage{}
		for i, raw := range list {
			named[strconv.Itoa(i+1)] = raw
		}
	} else {
		var err error
		if named, err = files.Object[json.RawMessage](data); err != nil {
			return nil, err
		}
	}

	var out []rating
	for _, by := range slices.Sorted(maps.Keys(named)) {
		one, err := parseRating(by, named[by])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", by, err)
		}
		if !one.empty() {
			out = append(out, one)
		}
	}
	return out, nil
}

// parseRating reads a number, a label, or an object with label, value and unit.
func parseRating(by string, raw json.RawMessage) (rating, error) {
	var words string
	if json.Unmarshal(raw, &words) == nil {
		return ratingOf(by, words), nil
	}
	var number *float64
	if json.Unmarshal(raw, &number) == nil {
		return rating{By: by, Number: number}, nil
	}

	var object struct {
		Label string   `json:"label"`
		Value *float64 `json:"value"`
		Unit  int      `json:"unit"`
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		return rating{}, errors.New("is neither a number nor a label, nor an object with label, value and unit")
	}
	return rating{By: by, Label: object.Label, Number: object.Value, Unit: object.Unit}, nil
}

// ratingOf reads a rating in words.
func ratingOf(by, words string) rating {
	if v, ok := number(words); ok {
		return rating{By: by, Number: &v}
	}
	return rating{By: by, Label: strings.TrimSpace(words)}
}

// labelValue is the value of a label in [0,1]. Entailment may be partial: between no and yes, where
// neutral says that nothing is known.
func labelValue(kind judge.Kind, label string) (float64, bool) {
	if kind == judge.Entailment && label == judge.Partial {
		return 0.5, true
	}
	v, ok := judge.Values[kind][label]
	return v, ok
}

// scaleOf tells whether the numbers of raters of a kind are values in [0,1] or grades, which the
// largest one tells.
func scaleOf(kind judge.Kind, largest float64) (low, high float64, err error) {
	if largest <= 1 {
		return 0, 1, nil
	}
	labels := judge.Labels[kind]
	low, err1 := strconv.ParseFloat(labels[0], 64)
	high, err2 := strconv.ParseFloat(labels[len(labels)-1], 64)
	if err1 != nil || err2 != nil || largest > high {
		return 0, 1, &files.Error{
			Msg: fmt.Sprintf("a rating of %g is neither a value from 0 to 1 nor one of the labels of %s, %v",
				largest, kind, labels),
			Remedy: valueRemedy,
		}
	}
	return low, high, nil
}

// verdict turns a rating into a verdict on the scale from low to high.
func (r rating) verdict(question string, kind judge.Kind, low, high float64) (judge.Verdict, error) {
	v := judge.Verdict{Question: question, Label: labelOf(kind, r.Label), Unit: r.Unit}
	if r.Number != nil {
		v.Value = (*r.Number - low) / (high - low)
		if v.Value < 0 || v.Value > 1 {
			return v, fmt.Errorf("the rating %g of %s is not from %g to %g", *r.Number, r.By, low, high)
		}
		v.Score = v.Value
	}

	value, ok := labelValue(kind, v.Label)
	switch {
	case v.Label == "":
		v.Label = nearest(kind, v.Value)
	case !ok:
		return v, badLabel(kind, r.Label, r.By)
	case r.Number == nil:
		v.Value = value
	}
	if kind == judge.Entailment && v.Label == judge.Partial {
		v.Label = judge.Neutral // its value is that of a part
	}
	return v, nil
}

// nearest is the label of a value that people gave. What is half entailed is neither yes nor no.
func nearest(kind judge.Kind, value float64) string {
	if kind == judge.Entailment && math.Abs(value-0.5) < 0.25 {
		return judge.Neutral
	}
	return judge.Nearest(kind, value)
}
