package label

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"lore/judge/metric"
)

// Plan is plan.json: which verdicts each item stands for, and how it was drawn. Annotators and
// pages do not get it.
type Plan struct {
	Format int    `json:"format"`
	ID     string `json:"id"`
	Task   string `json:"task"`
	Of     string `json:"of"`              // the run folder or the benchmark, as it was named
	Source string `json:"source"`          // hash of what the items were made of
	Judge  string `json:"judge,omitempty"` // whose scores the strata are cut by; empty: the data's claims
	Settings

	LeftOut int            `json:"left_out,omitempty"` // verdicts that the judge left unscored
	Targets []Target       `json:"targets"`
	Strata  []Stratum      `json:"strata"`
	Draws   []Draw         `json:"draws"` // all that could be labelled, in the order of the plan: the first Labels are
	Keys    map[string]Key `json:"keys"`  // of the items that are to be labelled
}

// Settings are what a plan was asked for.
type Settings struct {
	Labels      int      `json:"labels"`                // items to label
	CutFor      int      `json:"cut_for"`               // labels that the strata were cut for; more may be added later
	Correlation float64  `json:"correlation"`           // of the judge with people, as it was expected
	Differences bool     `json:"differences,omitempty"` // the differences between systems are to be narrow, not the means
	Evenly      bool     `json:"evenly,omitempty"`      // as many of each system, whatever the judge says
	Annotators  []string `json:"annotators,omitempty"`
	Shared      float64  `json:"shared,omitempty"` // share of the items that all annotators label
	Adjudicator string   `json:"adjudicator,omitempty"`
	Seed        uint64   `json:"seed"`
}

// Stratum is a part of what could be labelled.
type Stratum struct {
	Name        string  `json:"name"`
	Size        int     `json:"size"`
	Spread      float64 `json:"spread"`      // expected standard deviation of labels from the judge
	Labels      int     `json:"labels"`      // planned
	Probability float64 `json:"probability"` // planned: labels over size
}

// Draw is something that could be labelled.
type Draw struct {
	Item    string `json:"item"`
	Stratum int    `json:"stratum"` // its place in Strata
	Cells   []Cell `json:"cells"`
}

// Key says what an item is.
type Key struct {
	Group string            `json:"group,omitempty"`
	Data  map[string]string `json:"data,omitempty"` // names in the data
}

// Make draws a plan from a frame. The same frame and settings give the same plan; with more
// labels and the same CutFor it goes on where the smaller one ends.
func Make(f Frame, task Task, of string, s Settings) (*Sheet, *Plan, error) {
	if len(f.Units) == 0 {
		return nil, nil, fmt.Errorf("%s has nothing to label for the task %s", of, task.Name)
	}
	s.Labels = min(s.Labels, len(f.Units))
	s.CutFor = cmp.Or(s.CutFor, s.Labels)
	p := &Plan{
		Format: format, Task: task.Name, Of: of, Source: f.Source, Judge: f.Judge, Settings: s,
		LeftOut: f.LeftOut, Targets: f.Targets, Keys: map[string]Key{},
	}
	p.ID = p.name()

	units, wanted := unitsOfFrame(f, s.Differences)
	d := newDesign(units, wanted, s)
	for h, st := range d.strata {
		p.Strata = append(p.Strata, Stratum{Name: st.name, Size: len(st.units), Spread: d.layers[h].Spread})
	}
	for i, u := range d.order {
		p.Draws = append(p.Draws, Draw{f.Units[u].ID, d.of[u], f.Units[u].Cells})
		if i < s.Labels {
			p.Strata[d.of[u]].Labels++
		}
	}
	for h := range p.Strata {
		p.Strata[h].Probability = float64(p.Strata[h].Labels) / float64(p.Strata[h].Size)
	}

	sheet := &Sheet{Format: format, Plan: p.ID, Task: task, Texts: map[string]Text{}}
	for _, u := range d.order[:s.Labels] {
		sheet.add(f.Units[u])
		p.Keys[f.Units[u].ID] = Key{f.Units[u].Group, f.Units[u].Key}
	}
	sheet.deal(s)
	// The order of the draw would tell strata: it stays in the plan.
	slices.SortFunc(sheet.Items, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	sheet.Outlook = p.outlook()
	return sheet, p, nil
}

// name names a plan by all that its order depends on. More labels do not rename it.
func (p *Plan) name() string {
	of := []any{p.Task, p.Source, p.Judge, p.CutFor, p.Correlation, p.Differences, p.Seed}
	if p.Evenly {
		of = append(of, "evenly")
	}
	data, _ := json.Marshal(of) // plain values
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// add puts a candidate among the items, with its texts.
func (s *Sheet) add(c Candidate) {
	it := Item{ID: c.ID, Query: c.Query, Statement: c.Statement, Texts: []Shown{}}
	for _, t := range c.Texts {
		text := Text{Units: t.Units}
		if text.Units == nil {
			text.Units = []string{}
		}
		name := textName(text)
		s.Texts[name] = text
		it.Texts = append(it.Texts, Shown{t.Title, name, t.Marks})
	}
	for _, o := range c.Options {
		it.Options = append(it.Options, Option{Value: o.Value, Title: o.Title})
	}
	s.Items = append(s.Items, it)
}

// block is how many items an annotator's order is shuffled within. Whoever stops early has
// labelled the plan's beginning but for a part of a block, which is drawn by lot.
const block = 10

// deal gives items to annotators: a share to all, the others in turn, each in an order of its
// own. Where nobody is named, anybody gets all.
func (s *Sheet) deal(set Settings) {
	every := 0 // each so manieth item is for all
	if set.Shared > 0 {
		every = max(1, int(1/set.Shared+0.5))
	}
	lists := make([][]string, max(1, len(set.Annotators)))
	next := 0
	for i, it := range s.Items {
		if every > 0 && i%every == 0 {
			for k := range lists {
				lists[k] = append(lists[k], it.ID)
			}
			continue
		}
		k := next % len(lists)
		next++
		lists[k] = append(lists[k], it.ID)
	}

	if len(set.Annotators) == 0 {
		s.Order = shuffled(lists[0], set.Seed, "")
	}
	for k, name := range set.Annotators {
		s.Annotators = append(s.Annotators, Annotator{Name: name, Items: shuffled(lists[k], set.Seed, name)})
	}
	if set.Adjudicator != "" {
		var all []string
		for _, it := range s.Items {
			all = append(all, it.ID)
		}
		order := shuffled(all, set.Seed, set.Adjudicator)
		s.Annotators = append(s.Annotators, Annotator{Name: set.Adjudicator, Items: order, Adjudicates: true})
	}
}

// shuffled is an order of an annotator's own, the same for the same seed and name.
func shuffled(ids []string, seed uint64, name string) []string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	rng := rand.New(rand.NewPCG(seed, h.Sum64()))
	out := slices.Clone(ids)
	for from := 0; from < len(out); from += block {
		part := out[from:min(len(out), from+block)]
		rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return out
}

// Forecast is how wide the 95 % interval of a target is expected to be with so many labels.
type Forecast struct {
	Labels int
	Half   float64 // half its width, mean over the targets, in [0,1]; NaN where some would have none
}

// level is what intervals cover.
const level = 0.95

// Forecasts says beforehand what some numbers of labels would give, by the spread that is
// expected of each stratum.
func (p *Plan) Forecasts(numbers []int) []Forecast {
	layers := make([]metric.Layer, len(p.Strata))
	squares := make([][]float64, len(p.Targets))
	size := make([]float64, len(p.Targets))
	for h, s := range p.Strata {
		layers[h] = metric.Layer{Size: s.Size, Spread: s.Spread}
	}
	for _, d := range p.Draws {
		for _, c := range d.Cells {
			size[c.Target]++
		}
	}
	for t := range squares {
		squares[t] = make([]float64, len(p.Strata))
	}
	for _, d := range p.Draws {
		for _, c := range d.Cells {
			squares[c.Target][d.Stratum] += 1 / size[c.Target] / size[c.Target]
		}
	}

	var out []Forecast
	for _, n := range numbers {
		labels := make([]int, len(p.Strata))
		for _, d := range p.Draws[:min(n, len(p.Draws))] {
			labels[d.Stratum]++
		}
		half := 0.0
		for t := range squares {
			se := math.Sqrt(metric.PlannedVariance(layers, squares[t], labels))
			half += metric.TInterval(se, float64(max(1, n/len(squares)-1)), level) / float64(len(squares))
		}
		out = append(out, Forecast{n, half})
	}
	return out
}

// outlookAt are the numbers of labels that a sheet tells the outlook of, besides its own.
var outlookAt = []int{4, 6, 8, 10, 12, 15, 20, 25, 35, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600}

// widest is half the width of all values: an interval as wide says nothing.
const widest = 0.5

// outlook is what annotators are told of the forecasts: up to the number that is planned.
func (p *Plan) outlook() []Outlook {
	var numbers []int
	for _, n := range append(slices.Clone(outlookAt), p.Labels) {
		if n <= p.Labels {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var out []Outlook
	for _, f := range p.Forecasts(slices.Compact(numbers)) {
		if f.Half <= widest { // and not NaN
			out = append(out, Outlook{f.Labels, math.Round(1000*f.Half) / 10})
		}
	}
	return out
}

// CheckName refuses a name that no annotator can have.
func CheckName(name string) error { return checkName(name) }
