package lexical

import (
	"encoding/json"
	"fmt"
	"lore/judge"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	data, _ := os.ReadFile("/work/shared/data/summhay/human_coverage_labels_dev.json")
	var rows []struct {
		Summary  []string `json:"summary"`
		Insights []struct {
			ID      string `json:"insight_id"`
			Insight string `json:"insight"`
		} `json:"reference_insights"`
		Annotation []struct {
			ID string          `json:"insight_id"`
			C  string          `json:"coverage"`
			B  json.RawMessage `json:"candidate_id"`
		} `json:"annotation"`
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	var tasks []judge.Task
	for _, r := range rows {
		task := judge.Task{Units: r.Summary}
		for _, a := range r.Annotation {
			for _, in := range r.Insights {
				if in.ID == a.ID {
					task.Questions = append(task.Questions, judge.Question{ID: a.ID, Kind: judge.Coverage, Text: in.Insight})
				}
			}
		}
		tasks = append(tasks, task)
	}
	s := scratchPool.Get().(*scratch)
	common := count(s.stems, tasks)
	for _, lp := range []float64{0, .1, .2, .3, .4, .5} {
		for _, mode := range []string{"task", "exact", "set", "both"} {
			ok, n := 0, 0
			for k, task := range tasks {
				s.load(task, common)
				if len(task.Questions) != len(rows[k].Annotation) {
					continue
				}
				for i, a := range rows[k].Annotation {
					var b int
					if json.Unmarshal(a.B, &b) != nil {
						var str string
						if json.Unmarshal(a.B, &str) != nil {
							continue
						}
						if _, err := fmt.Sscan(str, &b); err != nil {
							continue
						}
					}
					if a.C == "NO_COVERAGE" || b < 0 || len(a.B) == 0 || string(a.B) == "null" {
						continue
					}
					best, top := -1, 0.0
					for u := range s.units {
						m := s.match(i, u)
						tot, sum := 0.0, 0.0
						for _, tt := range s.statements[i] {
							tot += s.rare[tt]
							sum += s.rare[tt] * s.found(tt, s.members(u))
						}
						v := m.recall
						switch mode {
						case "exact":
							v = m.exact
						case "set":
							v = sum / tot
						case "both":
							v = (m.recall + sum/tot) / 2
						}
						v += lp * m.precision
						if v > top {
							best, top = u, v
						}
					}
					n++
					if best == b {
						ok++
					}
				}
			}
			fmt.Printf("%.1f %s %.4f (%d)\n", lp, mode, float64(ok)/float64(n), n)
		}
	}
}
