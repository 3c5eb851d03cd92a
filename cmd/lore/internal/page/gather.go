package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// Source is a run folder as it was read.
type Source struct {
	Name  string // what tells it from others; unused where there is one
	Run   report.Run
	Shown *store.Shown // nil: an earlier lore made the folder

	Contexts []store.ContextVerdicts // on documents shown, where the benchmark judges these
	Settings map[string]string       // with what it was made; unused where there is one
}

// Words are what people say of a page.
type Words struct {
	Title string // empty: that of the run folder, or made from the run
	Date  string // empty: that of the run folder, if any
	Study string // that the run is part of, whose page lies in the folder above; empty: none
}

// Page is all that a page shows.
type Page struct {
	Head      Head
	Values    Values
	Questions []Question // by place of Head.Items
	Documents []Document // by place of Head.Documents, as far as they were shown
}

// builder makes a page of sources.
type builder struct {
	sources []Source
	bench   datasets.Benchmark
	metrics []datasets.Metric
	head    Head
	groups  []group // of runs over the same data

	answering *datasets.AnsweringRule // nil: documents are not judged as answers are

	systems map[systemKey]int
	rows    []rowAt
	items   map[itemKey]int
	docs    map[[2]string]int // documents by the data's hash and their id
	forms   map[formKey]form
	texts   []string // by document, as far as they are known
}

type systemKey struct {
	run int
	datasets.System
}

// rowAt is a row of the page with its source.
type rowAt struct {
	run    int
	system int
	judge  int
	row    table.Row
}

// itemKey names an item; runs over the same data share it.
type itemKey struct{ data, item string }

// formKey names a document as it was shown in a run.
type formKey struct {
	run      int
	id, text string
}

// form is where the text of a document as it was shown is kept: it is the beginning of a text.
type form struct{ text, bytes int }

// New makes the page of one run or of several, which are of one benchmark.
func New(sources []Source, bench datasets.Benchmark, words Words) *Page {
	b := &builder{
		sources: sources,
		bench:   bench,
		metrics: bench.Metrics(),
		systems: map[systemKey]int{},
		items:   map[itemKey]int{},
		docs:    map[[2]string]int{},
		forms:   map[formKey]form{},

		answering: bench.Protocol().Answering,
	}
	b.groups = b.groupRuns()
	b.takeRows()
	b.takeItems()
	b.takeDocuments()

	p := &Page{Values: b.values()}
	p.Questions = b.questions()
	p.Values.takeVerdicts(p.Questions, len(b.rows))
	b.describe(words)
	b.head.Figures = b.figures(p.Questions)
	b.count(p.Questions)

	for i, text := range b.texts {
		p.Documents = append(p.Documents, Document{b.head.Documents[i], plain(text)})
	}
	p.Head = b.head
	return p
}

// takeRows lists metrics, runs, systems, judges and rows.
func (b *builder) takeRows() {
	b.head.Metrics = b.listMetrics()
	b.head.Headline = b.headline()
	for n, s := range b.sources {
		if len(b.sources) == 1 {
			s.Name = ""
		}
		b.head.Runs = append(b.head.Runs, RunName{plain(s.Name), clipped(s.Run.Manifest.DataHash)})
		for _, r := range s.Run.Table.Rows {
			key := systemKey{n, r.System}
			at, ok := b.systems[key]
			if !ok {
				at = len(b.head.Systems)
				b.systems[key] = at
				b.head.Systems = append(b.head.Systems, newSystem(r.System, n))
			}

			judge := index(&b.head.Judges, plain(r.Judge))
			b.rows = append(b.rows, rowAt{n, at, judge, r})
			b.head.Rows = append(b.head.Rows, b.newRow(at, judge, r))
		}
	}
	b.nameSystems()
}

// newSystem is a system of a run, without the name that tells it from others.
func newSystem(s datasets.System, run int) System {
	end, is := report.EndOf(s)
	return System{Full: plain(s.String()), Run: run, Reference: is, end: end.Words, chance: end.Chance}
}

// clipped is the beginning of a hash, as people read it.
func clipped(hash string) string { return hash[:min(8, len(hash))] }

// index is the place of a name in a list, which gets it if need be.
func index(list *[]string, name string) int {
	if i := slices.Index(*list, name); i >= 0 {
		return i
	}
	*list = append(*list, name)
	return len(*list) - 1
}

// plain is text as a page may show it.
func plain(s string) string { return usage.Plain(s) }

func plainAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = plain(s)
	}
	return out
}

func (b *builder) listMetrics() []Metric {
	out := make([]Metric, len(b.metrics))
	for i, m := range b.metrics {
		out[i] = Metric{
			Name:    m.Name,
			Title:   m.Title,
			Explain: m.Explain,
			Percent: m.Percent,
			Lead:    m.Lead,
			Judged:  m.Judged,
			Aside:   m.Aside,
			Asked:   -1,
		}
		if m.Asked != "" {
			out[i].Asked = b.metric(m.Asked)
		}
	}
	return out
}

// metric is the place of a metric; -1 where there is none.
func (b *builder) metric(name string) int {
	return slices.IndexFunc(b.metrics, func(m datasets.Metric) bool { return m.Name == name })
}

// headline is the metric that sums a run up. What follows an "@" in its name is a setting.
func (b *builder) headline() int {
	want := b.bench.Protocol().Headline
	at := slices.IndexFunc(b.metrics, func(m datasets.Metric) bool {
		short, _, _ := strings.Cut(m.Name, "@")
		return short == want
	})
	if at < 0 {
		at = slices.IndexFunc(b.metrics, func(m datasets.Metric) bool { return m.Lead })
	}
	return max(0, at)
}

func (b *builder) newRow(system, judge int, r table.Row) Row {
	n, unscored := r.Counts(b.metrics)
	out := Row{
		System:   system,
		Judge:    judge,
		Items:    r.Items,
		Failed:   r.ItemsFailed,
		Cut:      r.ItemsCut,
		N:        n,
		Unscored: unscored,
		Figures:  make([]*Figure, len(b.metrics)),
	}

	for i, m := range b.metrics {
		f, ok := r.Figure(m.Name)
		if !ok || f.N+f.NUnscored == 0 {
			continue
		}
		out.Figures[i] = &Figure{
			Value:   shown(f.Value, m),
			Low:     shown(f.Low, m),
			High:    shown(f.High, m),
			N:       f.N,
			Missing: f.NUnscored,
			Worst:   shown(f.Worst, m),
			Best:    shown(f.Best, m),
		}
	}
	return out
}

// shown is a value in the unit that is shown, with three decimals.
func shown(v *float64, m datasets.Metric) *float64 {
	if v == nil || math.IsNaN(*v) {
		return nil
	}
	x := *v
	if m.Percent {
		x *= 100
	}
	return rounded(x)
}

func rounded(x float64) *float64 {
	x = math.Round(x*1000) / 1000
	return &x
}

// nameSystems gives each system a name by what differs between them. Answers from outside
// have no retriever to be named by.
func (b *builder) nameSystems() {
	keys := make([]systemKey, len(b.head.Systems))
	for k, at := range b.systems {
		keys[at] = k
	}
	differs := func(part func(systemKey) string) bool {
		return slices.ContainsFunc(keys, func(k systemKey) bool { return part(k) != part(keys[0]) })
	}
	byRetriever := differs(func(k systemKey) string { return k.Retriever })
	byGenerator := differs(func(k systemKey) string { return k.Generator })

	base := make([]string, len(keys))
	for i, k := range keys {
		switch {
		case k.Retriever == datasets.Outside:
			base[i] = k.Generator
		case byRetriever && byGenerator:
			base[i] = k.Retriever + " · " + k.Generator
		case byGenerator:
			base[i] = k.Generator
		default:
			base[i] = k.Retriever
		}
	}

	for i, k := range keys {
		another := func(o int) bool { return o != i && base[o] == base[i] && keys[o].run == k.run }
		name := base[i]
		if slices.ContainsFunc(indexes(len(keys)), another) {
			name = k.Retriever + " · " + k.Generator
		}
		b.head.Systems[i].Base = plain(name)
		if len(b.sources) > 1 {
			name = b.sources[k.run].Name + ": " + name
		}
		b.head.Systems[i].Name = plain(name)
	}
}

// indexes are the numbers from 0 up to n.
func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// takeItems lists the items in the order of the runs.
func (b *builder) takeItems() {
	for _, s := range b.sources {
		data := s.Run.Manifest.DataHash
		topics := topicsOf(s.Run.Table)
		for _, a := range s.Run.Answers {
			key := itemKey{data, a.Item}
			if _, ok := b.items[key]; ok {
				continue
			}
			b.items[key] = len(b.head.Items)
			b.head.Items = append(b.head.Items, Item{
				ID:    b.itemID(a.Item),
				Title: plain(a.Title),
				Group: plain(a.Group),
				Topic: plain(topics[a.Item]),
			})
		}
	}
}

// topicFacet is the facet that says what the documents of an item are about.
const topicFacet = "Topic"

// topicsOf are the topics of items, where the data has any.
func topicsOf(t table.Table) map[string]string {
	out := map[string]string{}
	for _, r := range t.Rows {
		for _, it := range r.Scores {
			if topic := it.Facets[topicFacet]; topic != "" {
				out[it.Item] = topic
			}
		}
	}
	return out
}

// itemID is an item's name in links: its id, numbered where runs over different data have
// items of the same id.
func (b *builder) itemID(id string) string {
	id = plain(id)
	name := id
	for n := 2; slices.ContainsFunc(b.head.Items, func(it Item) bool { return it.ID == name }); n++ {
		name = fmt.Sprintf("%s~%d", id, n)
	}
	return name
}

// wanted are the documents that the data names for an item, in a fixed order.
func wanted(it store.ShownItem) []string {
	var out []string
	for id, grade := range it.Gold {
		if grade > 0 {
			out = append(out, id)
		}
	}
	for _, ids := range it.Holders {
		out = append(out, ids...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// values are the means of items by row and lead metric.
func (b *builder) values() Values {
	var v Values
	for i, m := range b.metrics {
		if m.Lead || i == b.head.Headline {
			v.Metrics = append(v.Metrics, i)
		}
	}

	for _, r := range b.rows {
		data := b.sources[r.run].Run.Manifest.DataHash
		byMetric := make([][]*float64, len(v.Metrics))
		for k := range byMetric {
			byMetric[k] = make([]*float64, len(b.head.Items))
		}
		for _, it := range r.row.Scores {
			at := b.items[itemKey{data, it.Item}]
			for k, m := range v.Metrics {
				byMetric[k][at] = itemMean(it, b.metrics[m])
			}
		}
		v.Rows = append(v.Rows, byMetric)
	}
	return v
}

// takeVerdicts lists the verdicts of all questions.
func (v *Values) takeVerdicts(questions []Question, rows int) {
	v.Statements, v.Verdicts = [][2]int{}, make([][]*float64, rows)
	for _, q := range questions {
		first := len(v.Statements)
		for k := range q.Asked {
			v.Statements = append(v.Statements, [2]int{q.Item, k})
		}
		for row := range v.Verdicts {
			v.Verdicts[row] = append(v.Verdicts[row], make([]*float64, len(q.Asked))...)
		}
		for _, of := range q.Verdicts {
			for k, one := range of.List {
				if one.Label != "" {
					v.Verdicts[of.Row][first+k] = rounded(100 * one.Value)
				}
			}
		}
	}
}

// itemMean is the mean of an item's values of a metric.
func itemMean(it table.ItemScores, m datasets.Metric) *float64 {
	for _, u := range it.Values {
		if u.Metric != m.Name || len(u.Values) == 0 {
			continue
		}
		sum := 0.0
		for _, v := range u.Values {
			sum += v
		}
		mean := sum / float64(len(u.Values))
		return shown(&mean, m)
	}
	return nil
}

// describe fills in what is said in words.
func (b *builder) describe(words Words) {
	first := b.sources[0].Run
	b.head.Format = Format
	b.head.Benchmark = b.bench.Name()
	b.head.About = plain(b.bench.About())
	b.head.Lore = plain(first.Manifest.Lore)
	b.head.Interval = plain(first.Table.Interval)
	b.head.Reading = plain(first.Table.Reading)
	if len(b.sources) == 1 { // a page of several runs is none of these
		words.Title = cmp.Or(words.Title, first.Manifest.Title)
		words.Date = cmp.Or(words.Date, first.Manifest.Date)
	}
	b.head.Title = plain(cmp.Or(words.Title, b.title()))
	b.head.Date = plain(words.Date)
	b.head.Study = plain(words.Study)
	b.head.Compared = plain(b.compared())
	b.head.Differ = b.differ()
	b.head.Trust = b.trust()
	b.head.Lost, b.head.Heed = b.lost(), b.heed()
	b.head.Kinds = b.kinds()
	b.head.Lacking = b.lacking()
	if b.answering != nil {
		b.head.AnswersFrom = b.answering.From
	}

	b.head.Contrasts, b.head.Answers = b.contrasts()
	b.head.Failed, b.head.Warnings = []string{}, []string{}
	b.head.Tables, b.head.Settings = []Table{}, [][2]string{}
	for _, s := range b.sources {
		b.tell(s)
	}
}

// kinds are those of the questions that judges were asked, in a fixed order.
func (b *builder) kinds() []string {
	out := []string{}
	for _, s := range b.sources {
		for _, t := range s.Run.Verdicts {
			for _, q := range t.Questions {
				index(&out, plain(string(q.Kind)))
			}
		}
	}
	slices.Sort(out)
	return out
}

// tell adds what one run says of itself.
func (b *builder) tell(s Source) {
	before := ""
	if len(b.sources) > 1 {
		before = plain(s.Name) + ": "
	}
	add := func(list *[]string, said string) {
		if said = before + plain(said); !slices.Contains(*list, said) {
			*list = append(*list, said)
		}
	}

	for _, f := range report.Failures(s.Run.Answers, s.Run.Verdicts).Rows {
		add(&b.head.Failed, fmt.Sprintf("%s: %s of %s (%s), such as %s", f[3], f[0], f[1], f[2], f[4]))
	}
	for _, w := range s.Run.Manifest.Warnings {
		add(&b.head.Warnings, w)
	}
	for _, w := range slices.Concat(report.Warnings(s.Run.Table, b.metrics), report.CutWarnings(s.Run)) {
		add(&b.head.Warnings, w)
	}

	for _, g := range report.Grids(s.Run, b.bench) {
		if len(g.Rows) > 0 {
			b.head.Tables = append(b.head.Tables, newTable(before, g))
		}
	}
	for _, set := range report.Settings(s.Run.Manifest) {
		b.head.Settings = append(b.head.Settings, [2]string{before + plain(set.Name), plain(set.Value)})
	}
}

func newTable(before string, g datasets.Grid) Table {
	out := Table{Title: before + plain(g.Title), Note: plain(g.Note), Head: plainAll(g.Head)}
	for _, r := range g.Rows {
		out.Rows = append(out.Rows, plainAll(r))
	}
	return out
}

// lacking says why there are no documents.
func (b *builder) lacking() string {
	old := 0
	for _, s := range b.sources {
		if s.Shown == nil {
			old++
		}
	}
	switch {
	case old == len(b.sources):
		return "The run folder was made by an earlier lore, which did not keep the documents and prompts that systems " +
			"were shown: the same command again adds them."
	case old > 0:
		return fmt.Sprintf("%d of %d run folders were made by an earlier lore, which did not keep documents and prompts.",
			old, len(b.sources))
	case !slices.ContainsFunc(b.sources, func(s Source) bool { return len(s.Shown.Contexts) > 0 }):
		return "What the systems were shown is not known: their answers came from outside, without rankings."
	}
	return ""
}
