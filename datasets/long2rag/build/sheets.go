package build

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"lore/datasets/long2rag"
	"lore/judge/metric"
	"lore/local/files"
)

// sheetHead are the columns of a sheet for people; the last two are for them to fill in
// (the paper's appendix A.3).
var sheetHead = []files.Column{
	{Name: rowColumn, Help: "leave as it is"},
	{Name: "question"},
	{Name: "key_point"},
	{Name: "documents",
		Help: "long ones around the place; what the point was taken from stands between >> and <<, which may be wrong"},
	{Name: "found_in_text", Help: "can the point be taken from the documents? yes or no"},
	{Name: "key_point_verdict",
		Help: "if found: agree, it answers the question; neutral, it is background; disagree, it is off the subject"},
}

// rowColumn names rows, so that nobody can tell from the name what the data says.
const rowColumn = "row"

func pointRow(question, point string) string { return files.RowID("point", question, point) }

// Verdicts of people on a key point.
const (
	Agree    = "agree"    // answers the question directly
	Neutral  = "neutral"  // background
	Disagree = "disagree" // does not belong into an answer
)

// verdictOrder is the order in which verdicts are counted.
var verdictOrder = []string{Agree, Neutral, Disagree}

// Sheets deals the key points of a dataset out to raters as CSV: questions as evenly as
// they go, and of the others' points a share, the same for all, that everybody judges.
func Sheets(questions []long2rag.Question, raters int, shared float64, seed uint64, semicolons bool) ([][]byte, error) {
	rng := rand.New(rand.NewPCG(seed, dealSeed))
	owner := owners(len(questions), raters, rng)

	rows := make([][][]string, raters)
	for i, q := range questions {
		for _, p := range q.KeyPoints {
			all := rng.Float64() < shared
			row := []string{pointRow(q.ID, p.ID), q.Text, p.Text, evidence(q, p), "", ""}
			for r := range raters {
				if all || owner[i] == r {
					rows[r] = append(rows[r], row)
				}
			}
		}
	}

	return forms(sheetHead, rows, semicolons)
}

// forms are sheets with one head, a rater's rows each.
func forms(head []files.Column, rows [][][]string, semicolons bool) ([][]byte, error) {
	out := make([][]byte, len(rows))
	for r, list := range rows {
		var err error
		if out[r], err = files.Form(head, list, semicolons); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// dealSeed is the second half of the seed of a deal.
const dealSeed = 2

// owners deals questions out to raters, as evenly as they go.
func owners(questions, raters int, rng *rand.Rand) []int {
	owner := make([]int, questions)
	for i, k := range rng.Perm(questions) {
		owner[k] = i % raters
	}
	return owner
}

// Of a document with more bytes than fullText a sheet shows the places of the spans, with so many bytes around each:
// a manual of some megabytes beside each of its points is a sheet that nothing opens.
const (
	fullText = 60_000
	around   = 6_000
)

// around each span is shown of a long text; the beginning where there is none. What is left out is said.
func excerpt(text string) string {
	if len(text) <= fullText {
		return text
	}
	keep := [][2]int{}
	for at := 0; ; {
		open := strings.Index(text[at:], ">>")
		if open < 0 {
			break
		}
		end := at + open
		if close := strings.Index(text[end:], "<<"); close >= 0 {
			end += close
		}
		from, to := max(0, at+open-around), min(len(text), end+around)
		if n := len(keep); n > 0 && from <= keep[n-1][1] {
			keep[n-1][1] = to
		} else {
			keep = append(keep, [2]int{from, to})
		}
		at = end + 2
	}
	if len(keep) == 0 {
		keep = append(keep, [2]int{0, fullText})
	}

	var b strings.Builder
	last := 0
	gap := func(to int) {
		if to > last {
			fmt.Fprintf(&b, " [%d characters left out] ", utf8.RuneCountInString(text[last:to]))
		}
	}
	for _, k := range keep {
		from, to := wholeRunes(text, k)
		gap(from)
		b.WriteString(text[from:to])
		last = to
	}
	gap(len(text))
	return b.String()
}

// wholeRunes is a part of a text that neither begins nor ends within a character.
func wholeRunes(text string, part [2]int) (from, to int) {
	from, to = part[0], part[1]
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}

// evidence is every document that holds a span of the point, or that the point names, with
// the spans between >> and <<; all documents where there is none.
func evidence(q long2rag.Question, p long2rag.KeyPoint) string {
	var parts, all []string
	for _, d := range q.Documents {
		text, marked := d.Text, false
		for _, s := range p.Spans {
			if at := strings.Index(text, s); s != "" && at >= 0 {
				text, marked = text[:at]+">>"+s+"<<"+text[at+len(s):], true
			}
		}
		shown := d.ID + ":\n" + excerpt(text)
		all = append(all, shown)
		if marked || slices.Contains(p.Documents, d.ID) {
			parts = append(parts, shown)
		}
	}
	if len(parts) == 0 {
		parts = all
	}
	return strings.Join(parts, "\n\n")
}

// HumanVerdict is what a person says of a key point.
type HumanVerdict struct {
	Question, Point string
	Found           bool
	Key             string // Agree, Neutral or Disagree; empty where it was not found
}

// ReadSheet reads a sheet that was filled in. Rows left open are counted.
func ReadSheet(name string, data []byte, questions []long2rag.Question) (verdicts []HumanVerdict, open int, err error) {
	known := map[string][2]string{}
	for _, q := range questions {
		for _, p := range q.KeyPoints {
			at := [2]string{q.ID, p.ID}
			known[pointRow(q.ID, p.ID)], known[q.ID+"\x00"+p.ID] = at, at
		}
	}

	seen := map[[2]string]bool{}
	columns := []string{rowColumn, "found_in_text", "key_point_verdict"}
	old := files.HasColumn(data, "question_id") // of an earlier lore
	if old {
		columns = []string{"question_id", "point_id", "found_in_text", "key_point_verdict"}
	}
	remedy := "found_in_text is " + files.YesNoForm + ", key_point_verdict is agree, neutral or disagree; " +
		"make sheets with lore build long2rag sheets"
	err = files.EachRow(name, data, columns, remedy, func(get func(string) string) error {
		name := files.RowName(get(rowColumn))
		if old {
			name = get("question_id") + "\x00" + get("point_id")
		}
		at, there := known[name]
		cell, key := get("found_in_text"), strings.ToLower(get("key_point_verdict"))
		found, marked := files.YesNo(cell)

		switch {
		case !there && old:
			return fmt.Errorf("judges the key point %s of the question %s, which the data does not have",
				get("point_id"), get("question_id"))
		case !there:
			return fmt.Errorf("has the row %q, which is none of this data", name)
		case seen[at]:
			return fmt.Errorf("judges the key point %s of the question %s a second time", at[1], at[0])
		case cell == "", found && key == "":
			open++
			return nil
		case !marked:
			return fmt.Errorf("has %q under found_in_text", cell)
		case !found:
			key = "" // what is not in the text is not judged further
		case !slices.Contains(verdictOrder, key):
			return fmt.Errorf("has %q under key_point_verdict", key)
		}

		seen[at] = true
		verdicts = append(verdicts, HumanVerdict{Question: at[0], Point: at[1], Found: found, Key: key})
		return nil
	})
	return verdicts, open, err
}

// Verified is a dataset after people have looked at it.
type Verified struct {
	Questions           []long2rag.Question
	Points              int // before
	Judged              int // of these judged by anyone
	Found               int // by more than half of those who judged
	Agree               int // of these: key points by more than half
	Raters              int
	Shared              int // points that all raters judged
	SharedKey           int // of these found by all
	KappaFound          float64
	KappaKey            float64            // over points that all of them found
	Confirmed           map[[2]string]bool // by question and point, of those judged: whether it is kept
	QuestionsWithoutAny int
}

// tally counts what raters say of a key point.
type tally struct {
	raters, found int
	key           [3]int // of those who found it, in verdictOrder
}

func count(verdicts []HumanVerdict) tally {
	t := tally{raters: len(verdicts)}
	for _, v := range verdicts {
		if v.Found {
			t.found++
			t.key[slices.Index(verdictOrder, v.Key)]++
		}
	}
	return t
}

// Verify keeps the key points that more than half of their raters found in the text and
// agree to be key points. Agreement is the free-marginal multi-rater kappa over the
// points that all raters judged (Randolph, 2005); NaN where there are none.
func Verify(questions []long2rag.Question, sheets [][]HumanVerdict) Verified {
	by := map[[2]string][]HumanVerdict{}
	for _, s := range sheets {
		for _, v := range s {
			k := [2]string{v.Question, v.Point}
			by[k] = append(by[k], v)
		}
	}

	out := Verified{Raters: len(sheets), Confirmed: map[[2]string]bool{}}
	var found, key [][]int // of the points that all raters judged
	for _, q := range questions {
		kept := q
		kept.KeyPoints = nil
		for _, p := range q.KeyPoints {
			out.Points++
			t := count(by[[2]string{q.ID, p.ID}])
			if t.raters == 0 {
				continue
			}
			out.Judged++
			out.Confirmed[[2]string{q.ID, p.ID}] = false

			if t.raters == len(sheets) && len(sheets) > 1 {
				found = append(found, []int{t.found, t.raters - t.found})
				if t.found == t.raters {
					key = append(key, t.key[:])
				}
			}

			// Half of the raters are not a majority. Those who did not find a point do not
			// agree that it is one.
			if 2*t.found <= t.raters {
				continue
			}
			out.Found++
			if 2*t.key[0] > t.raters {
				out.Agree++
				out.Confirmed[[2]string{q.ID, p.ID}] = true
				kept.KeyPoints = append(kept.KeyPoints, p)
			}
		}
		if len(kept.KeyPoints) == 0 {
			out.QuestionsWithoutAny++
			continue
		}
		out.Questions = append(out.Questions, kept)
	}

	out.Shared, out.SharedKey = len(found), len(key)
	out.KappaFound, out.KappaKey = metric.FreeMarginalKappa(found), metric.FreeMarginalKappa(key)
	return out
}
