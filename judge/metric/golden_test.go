package metric

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lore/local/published"
)

func eachField(t *testing.T, path string, want int, f func([]string)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	scan := bufio.NewScanner(file)
	for scan.Scan() {
		if fields := strings.Fields(scan.Text()); len(fields) == want {
			f(fields)
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// goldenTopics also returns the topics in the order of the qrels, in which the
// reference tools add up.
func goldenTopics(t *testing.T) (adhoc, diverse map[string]*Topic, order []string) {
	t.Helper()
	run := map[string][]Retrieved{}
	eachField(t, published.Path(t, "golden", "ir", "run.trec"), 6, func(f []string) { run[f[0]] = append(run[f[0]], Retrieved{f[2], number(t, f[4])}) })
	qrels := map[string]map[string]int{}
	eachField(t, published.Path(t, "golden", "ir", "qrels.txt"), 4, func(f []string) {
		if qrels[f[0]] == nil {
			order = append(order, f[0])
			qrels[f[0]] = map[string]int{}
		}
		qrels[f[0]][f[2]] = int(number(t, f[3]))
	})
	div := map[string]map[string]map[string]int{}
	eachField(t, published.Path(t, "golden", "ir", "diversity_qrels.txt"), 4, func(f []string) {
		if div[f[0]] == nil {
			div[f[0]] = map[string]map[string]int{}
		}
		if div[f[0]][f[1]] == nil {
			div[f[0]][f[1]] = map[string]int{}
		}
		div[f[0]][f[1]][f[2]] = int(number(t, f[3]))
	})
	adhoc, diverse = map[string]*Topic{}, map[string]*Topic{}
	for topic, q := range qrels {
		adhoc[topic] = NewTopic(run[topic], q)
	}
	for topic, q := range div {
		diverse[topic] = NewDiversityTopic(run[topic], q)
	}
	return adhoc, diverse, order
}

// ourName turns a name of trec_eval's output into ours; empty if lore does not
// have the measure.
func ourName(name string) string {
	if name == "relstring" || name == "runid" {
		return "" // texts
	}
	return name
}

// Every value that trec_eval prints and lore has, per topic and over all, to the
// last digit printed.
func TestGoldenTrecEval(t *testing.T) {
	adhoc, _, order := goldenTopics(t)
	checked := map[string]int{}
	for _, file := range []string{"trec_eval_all.txt", "trec_eval_complete.txt"} {
		eachField(t, published.Path(t, "golden", "ir", file), 3, func(f []string) {
			name := ourName(f[0])
			if name == "" {
				return
			}
			m, err := ParseMeasure(name)
			if err != nil {
				t.Errorf("%s: %v", f[0], err)
				return
			}
			var got float64
			switch {
			case f[1] == "all":
				var values []float64
				for _, topic := range slices.Sorted(slices.Values(order)) { // as trec_eval adds them up
					values = append(values, m.Calc(adhoc[topic]))
				}
				got = m.Aggregate(values)
			case m.Kind == "GMAP" || m.Kind == "GMBpref":
				return // trec_eval prints the logarithm per topic
			default:
				got = m.Calc(adhoc[f[1]])
			}
			digits := 4
			if m.Count() {
				digits = 0
			}
			if text := strconv.FormatFloat(got, 'f', digits, 64); text != f[2] && text != "-"+f[2] {
				t.Errorf("%s topic %s: %s = %s, trec_eval prints %s", file, f[1], m, text, f[2])
			}
			checked[m.Kind]++
		})
	}
	for _, want := range strings.Fields("NumQ NumRet NumRel NumRelRet AP GMAP Rprec Bpref RR IPrec P R nDCG SetF SetP SetR SetAP SetRelP RelP Success Utility RprecMult " +
		"infAP GMBpref IPrec11 G binG nDCGrel RnDCG NumNonRelJudgedRet Unj gradedRBP RBPresid") {
		if checked[want] == 0 {
			t.Errorf("%s was not compared", want)
		}
	}
	t.Log(checked)
}

// Every value of ndeval, per topic and over all, to the last digit printed.
func TestGoldenNdeval(t *testing.T) {
	_, diverse, order := goldenTopics(t)
	file, err := os.Open(published.Path(t, "golden", "ir", "ndeval.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c, name := range rows[0][2:] {
		m, err := ParseMeasure(name)
		if err != nil {
			t.Fatal(err)
		}
		var values []float64
		for _, topic := range order {
			values = append(values, m.Calc(diverse[topic]))
		}
		for _, row := range rows[1:] {
			var got float64
			switch topic, ok := diverse[row[1]]; {
			case row[1] == "amean":
				got = m.Aggregate(values)
			case ok:
				got = m.Calc(topic)
			default:
				continue // a topic without judgements, which ndeval lists as 0
			}
			if text := fmt.Sprintf("%.6f", got); text != row[c+2] {
				t.Errorf("topic %s: %s = %s, ndeval prints %s", row[1], m, text, row[c+2])
			}
			n++
		}
	}
	if n < 800 {
		t.Errorf("only %d values were compared", n)
	}
}
