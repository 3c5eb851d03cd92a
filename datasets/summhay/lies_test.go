package summhay

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local"
	"lore/local/files"
	"lore/local/published"
)

// lies are what is done to gold answers, with the most coverage each may get. A share of the
// lines has no digit, or no word to turn round: those stay covered.
var lies = []struct {
	name        string
	least, most float64
	change      func(line string) string
}{
	{"gold", 97, 100, func(line string) string { return line }},
	{"neg", 0, 10, func(line string) string { return "It is false that " + line }},
	{"wrongnum", 0, 20, otherDigits},
	{"shuffle", 0, 15, shuffled},
	{"antonym", 0, 90, opposite},
}

func otherDigits(line string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0' + (r-'0'+3)%10
		}
		return r
	}, line)
}

func shuffled(line string) string {
	words := strings.Fields(line)
	rand.New(rand.NewPCG(7, uint64(len(line)))).Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words, " ")
}

var risen = regexp.MustCompile(`\b(higher|more|increased|increase|increasing|improved|improve|greater|rising|growing|growth)\b`)

func opposite(line string) string { return risen.ReplaceAllString(line, "decrease") }

// Answers made of the insights themselves, and of lies about them: the published files on the
// haystack news1, and the same means on news2, which took no part in making the gates.
func TestPublishedLies(t *testing.T) {
	news1 := loadHaystack(t, "topic_news1.json")
	for _, lie := range lies {
		data, err := files.ReadFile(published.Path(t, "tools/hostile/lies", lie.name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		answers := map[string]string{}
		err = files.EachLine(data, func(_ string, line []byte) error {
			var a struct{ Item, Answer string }
			err := json.Unmarshal(line, &a)
			answers[a.Item] = a.Answer
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := coverageOf(t, news1, func(it datasets.Item) string { return answers[it.ID()] })
		t.Logf("news1, %s: %.1f", lie.name, got)
		if got < lie.least || got > lie.most {
			t.Errorf("news1, %s: coverage %.1f", lie.name, got)
		}
	}

	news2 := loadHaystack(t, "topic_news2.json")
	for _, lie := range lies {
		changed, all := 0, 0
		got := coverageOf(t, news2, func(it datasets.Item) string {
			var lines []string
			for _, q := range it.Plan(said("- x"))[0].Questions {
				line := lie.change(q.Text)
				if line != q.Text {
					changed++
				}
				all++
				lines = append(lines, "- "+line)
			}
			return strings.Join(lines, "\n")
		})
		floor := 100 * float64(all-changed) / float64(all) // lines that say what they said
		t.Logf("news2, %s: %.1f (unchanged lines: %.1f)", lie.name, got, floor)
		if lie.name == "gold" && got < lie.least || lie.name != "gold" && got > floor+10 {
			t.Errorf("news2, %s: coverage %.1f", lie.name, got)
		}
	}
}

func loadHaystack(t *testing.T, name string) *datasets.Dataset {
	t.Helper()
	ds, err := Benchmark{}.Load([]string{published.Path(t, "data/summhay", name)})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func said(answer string) datasets.Evidence {
	return datasets.Evidence{Output: datasets.Output{Text: answer, Outcome: local.OK}}
}

// coverageOf is the mean coverage of answers, in per cent.
func coverageOf(t *testing.T, ds *datasets.Dataset, answer func(datasets.Item) string) float64 {
	t.Helper()
	var tasks []judge.Task
	for _, it := range ds.Items {
		tasks = append(tasks, it.Plan(said(answer(it)))[0])
	}
	verdicts, err := lexical.Judge{}.Judge(context.Background(), tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, list := range verdicts {
		for _, v := range list {
			values = append(values, v.Value)
		}
	}
	return 100 * metric.Mean(values)
}

// edits are small changes of a statement that make it say something else. In at least so many
// pairs of a hundred the changed text scores below one that only words it otherwise; a tie is
// half a pair, so 50 is chance. Swapped names are chance, as docs/judges.md says.
var edits = []struct {
	name   string
	right  float64
	change func(line string) string
}{
	{"number", 80, otherDigits},
	{"name", 60, otherName},
	{"negation", 80, negated},
	{"swapped names", 0, swappedNames},
}

// rewordings leave a statement true.
var rewordings = strings.NewReplacer(" about ", " roughly ", " said ", " stated ", " many ", " numerous ", " big ", " large ",
	" began ", " started ", " also ", " ", " however ", " still ", " because ", " since ", " show ", " demonstrate ",
	" shows ", " demonstrates ", " use ", " employ ", " uses ", " employs ", " help ", " aid ", " helps ", " aids ",
	" ensure ", " make sure of ", " crucial ", " essential ", " significant ", " notable ", " during ", " in ")

func reworded(line string) string { return "As the article tells it, " + rewordings.Replace(line) }

var name = regexp.MustCompile(`\b[A-Z][a-z]{3,}\b`)

// otherName puts another name for the last one that begins no sentence.
func otherName(line string) string {
	at := name.FindAllStringIndex(line, -1)
	if len(at) == 0 || at[len(at)-1][0] == 0 {
		return line
	}
	last := at[len(at)-1]
	return line[:last[0]] + "Quimbleton" + line[last[1]:]
}

var auxiliary = regexp.MustCompile(`\b(is|are|was|were|has|have|can|will|could|would)\b`)

func negated(line string) string {
	if at := auxiliary.FindStringIndex(line); at != nil {
		return line[:at[1]] + " not" + line[at[1]:]
	}
	return line
}

// swappedNames exchanges the first and the last name.
func swappedNames(line string) string {
	at := name.FindAllStringIndex(line, -1)
	if len(at) < 2 {
		return line
	}
	a, b := at[0], at[len(at)-1]
	return line[:a[0]] + line[b[0]:b[1]] + line[a[1]:b[0]] + line[a[0]:a[1]] + line[b[1]:]
}

// Small edits, as SummEdits makes them (Laban et al. 2023, "SummEdits", section 3), of the
// insights of both haystacks and of WiCE's claims: what is seen, and what is not.
func TestPublishedSmallEdits(t *testing.T) {
	var lines []string
	for _, file := range []string{"topic_news1.json", "topic_news2.json"} {
		for _, it := range loadHaystack(t, file).Items {
			for _, q := range it.Plan(said("- x"))[0].Questions {
				lines = append(lines, q.Text)
			}
		}
	}
	lines = append(lines, claims(t)...)

	pairs := 0
	for _, e := range edits {
		right, all := 0.0, 0
		for _, line := range lines {
			changed := e.change(line)
			if changed == line {
				continue
			}
			all++
			truth, lie := scoreOf(t, line, reworded(line)), scoreOf(t, line, changed)
			switch {
			case truth > lie:
				right++
			case truth == lie:
				right += 0.5
			}
		}

		share := 100 * right / float64(all)
		t.Logf("%s: right in %.0f %% of %d pairs", e.name, share, all)
		if share < e.right {
			t.Errorf("%s: right in %.0f %% of %d pairs", e.name, share, all)
		}
		pairs += all
	}
	if pairs < 500 {
		t.Errorf("%d pairs", pairs)
	}
}

// claims are the different statements of WiCE.
func claims(t *testing.T) []string {
	t.Helper()
	data, err := files.ReadFile(published.Path(t, "data/labels/wice_chunk.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	seen := map[string]bool{}
	err = files.EachLine(data, func(_ string, line []byte) error {
		var row struct{ Statement string }
		err := json.Unmarshal(line, &row)
		if !seen[row.Statement] {
			seen[row.Statement] = true
			out = append(out, row.Statement)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func scoreOf(t *testing.T, statement, unit string) float64 {
	t.Helper()
	q := judge.Question{ID: "1", Kind: judge.Coverage, Text: statement}
	v, err := lexical.Judge{}.Judge(context.Background(), []judge.Task{{Units: []string{unit}, Questions: []judge.Question{q}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v[0][0].Score
}

// A calibrated "none" is worth a little and names no bullet: its joint score is 0, not missing.
func TestCalibratedNoneHasNoJoint(t *testing.T) {
	scores := scoreInsight("i", judge.Verdict{Label: judge.None, Value: 0.06}, []bullet{{unit: "x"}}, nil)
	for _, s := range scores {
		if s.Unscored != "" || s.Metric == Joint && s.Value != 0 || s.Metric == Coverage && s.Value != 0.06 {
			t.Errorf("%+v", s)
		}
	}
	if len(scores) != 2 {
		t.Errorf("%d scores", len(scores))
	}
}
