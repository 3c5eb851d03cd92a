package agreement

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local/files"
)

// decimalComma is a number as many countries write it.
var decimalComma = regexp.MustCompile(`^-?\d+,\d+$`)

// number reads a number as people and spreadsheets write it: 0.5, 0,5, 50% or 50 %.
func number(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	s, percent := strings.CutSuffix(s, "%")
	s = strings.TrimSpace(s)
	if decimalComma.MatchString(s) {
		s = strings.Replace(s, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	if percent {
		v /= 100
	}
	return v, true
}

// labelsOf are the labels that people may write for a kind.
func labelsOf(kind judge.Kind) []string {
	if kind == judge.Entailment {
		return append(slices.Clone(judge.Labels[kind]), judge.Partial)
	}
	return judge.Labels[kind]
}

// graded reports whether a kind is labelled by grades.
func graded(kind judge.Kind) bool {
	labels := judge.Labels[kind]
	return len(labels) > 0 && labels[0] >= "0" && labels[0] <= "9"
}

// labelOf is a label of a kind as lore spells it: Yes and YES are yes, and a grade of 3.0, as
// spreadsheets and data frames have it, is 3. Others stay as they are.
func labelOf(kind judge.Kind, s string) string {
	s = strings.TrimSpace(s)
	for _, l := range labelsOf(kind) {
		if strings.EqualFold(l, s) {
			return l
		}
	}
	if v, ok := number(s); ok && graded(kind) && v == math.Trunc(v) && !strings.Contains(s, "%") {
		return strconv.Itoa(int(v))
	}
	return s
}

// badLabel refuses a label, and says what to write.
func badLabel(kind judge.Kind, label, by string) error {
	of := ""
	if by != "" {
		of = " of " + by
	}
	return &files.Error{
		Msg:    fmt.Sprintf("the label %q%s is not one of %v", label, of, labelsOf(kind)),
		Remedy: labelRemedy(kind, label),
	}
}

func labelRemedy(kind judge.Kind, label string) string {
	labels := judge.Labels[kind]
	low, high := labels[0], labels[len(labels)-1]
	if v, ok := number(label); ok && !graded(kind) {
		if v >= 0 && v <= 1 {
			return "numbers from 0 to 1 belong in the column value"
		}
		return valueRemedy
	}

	switch word := strings.ToLower(strings.TrimSpace(label)); word {
	case "true", "false":
		return fmt.Sprintf("write %s for true and %s for false", high, low)
	case judge.Yes, judge.No:
		return fmt.Sprintf("write %s and %s, or the kind entailment, whose labels are yes and no", high, low)
	case "na", "n/a", "nan", "null", "none", "-", "?":
		return "leave the cell empty where there is no label"
	}
	return "write one of them, or a number from 0 to 1 in the column value"
}

// valueRemedy is how other scales become values.
const valueRemedy = "values go from 0 to 1: write 75 of 100 as 0.75 or 75%, and a rating r from 1 to 5 as (r-1)/4"

// asJSON turns a list or dictionary as Python prints it into JSON. What stands in quotes stays
// as it is.
func asJSON(data []byte) []byte {
	words := map[string]string{"None": "null", "nan": "null", "NaN": "null", "True": "true", "False": "false"}
	var out, word strings.Builder
	flush := func() {
		w := word.String()
		if other, ok := words[w]; ok {
			w = other
		}
		out.WriteString(w)
		word.Reset()
	}

	quote, escaped := rune(0), false
	for _, r := range string(data) {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			flush()
			quote = r
			out.WriteByte('"')
		case quote == 0 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
			word.WriteRune(r)
		case quote == 0:
			flush()
			out.WriteRune(r)
		case escaped:
			escaped = false
			if r != '\'' {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
		case r == '\\':
			escaped = true
		case r == quote:
			quote = 0
			out.WriteByte('"')
		case r == '"':
			out.WriteString(`\"`)
		default:
			out.WriteRune(r)
		}
	}
	flush()
	return []byte(out.String())
}
