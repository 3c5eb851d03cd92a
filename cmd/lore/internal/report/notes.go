package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/embed"
	"lore/judge"
	"lore/judge/agreement"
	"lore/judge/ensemble"
	"lore/judge/lexical"
	"lore/judge/llm"
	"lore/local/extractive"
	"lore/local/text"
)

// Columns of JudgeNotes.
const (
	agreementColumn = 4
	worthColumn     = 5
)

// JudgeNotes names what is known of each judge's agreement with people, by kind of
// question and of text. Those of the run's own case come first, and what is missing is said.
func JudgeNotes(r Run) datasets.Grid {
	g := datasets.Grid{
		Title: "Can the judges be believed?",
		Head:  []string{"judge", "question", "texts", "language", "agreement", "worth", "measured on"},
	}

	language := ForeignLanguage(r.Manifest)
	for _, j := range judgesOf(r) {
		for _, kind := range kindsOf(r) {
			c := agreement.Look(j, kind, r.Manifest.Texts, language, r.Measured...)
			asked := string(kind)
			if own := ownPrompt(r.Manifest, j, kind); own != "" {
				asked += " (" + own + ")"
			}
			if len(c.Here) == 0 && (r.Manifest.Texts+language != "" || len(c.Elsewhere) == 0) {
				here := cmp.Or(r.Manifest.Texts, "not known")
				g.Rows = append(g.Rows, []string{
					j, asked, here, languageWord(language), "not measured here", datasets.NoValue, datasets.NoValue,
				})
				g.Mark(agreementColumn, datasets.Doubted)
			}
			for _, k := range slices.Concat(c.Here, c.Elsewhere) {
				g.Rows = append(g.Rows, []string{
					j, asked, k.Texts, languageWord(k.Language), k.String(), string(k.Worth), k.Set,
				})
				if k.Worth == agreement.Useless {
					g.Mark(worthColumn, datasets.Failed)
				}
			}
		}
	}

	if len(g.Rows) > 0 {
		g.Note = "Pearson of single values, Kendall of systems' means. " + judgesPage + " tells more; " +
			"`lore judge validate` measures a judge on labels of your own."
	}
	for _, said := range pairNotes(r) {
		g.Note += " " + said
	}
	if copied(r.Manifest) {
		g.Note += " " + lexical.CopyingNote
	}
	return g
}

// judgesPage is where judges are documented.
const judgesPage = "docs/judges.md"

// SeeJudges ends lines about judges that send their reader there.
const SeeJudges = "; see " + judgesPage

// judgesOf names each judge of a run once, and pairs besides their parts.
func judgesOf(r Run) []string {
	var out []string
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, j := range r.Manifest.Judges {
		add(shownAs(r, j.Name))
	}
	for _, row := range r.Table.Rows {
		if strings.Contains(row.Judge, "+") {
			add(row.Judge)
		}
	}
	return out
}

// shownAs is the name of a judge with what it has behind it in tables: a judge that is shown examples is
// measured apart from the same model without.
func shownAs(r Run, name string) string {
	for _, row := range r.Table.Rows {
		for _, part := range strings.Split(row.Judge, "+") {
			if part == name+llm.ExamplesMark {
				return part
			}
		}
	}
	return name
}

// pairNotes say what judges that are several did, one line for each.
func pairNotes(r Run) []string {
	var out []string
	for _, name := range judgesOf(r) {
		if said := ensemble.Explain(name); said != "" {
			out = append(out, usage.Plain(name)+": "+said+".")
		}
	}
	return out
}

// kindsOf are the kinds of question that the judges of a run were asked, all kinds where
// no question is known.
func kindsOf(r Run) []judge.Kind {
	asked := map[judge.Kind]bool{}
	for _, v := range r.Verdicts {
		for _, q := range v.Questions {
			asked[q.Kind] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(judge.Kinds), func(k judge.Kind) bool {
		return len(asked) > 0 && !asked[k]
	})
}

// JudgeSaid is what the notes of a run say of a judge for one kind of question.
type JudgeSaid struct {
	Judge string
	Kind  judge.Kind
	Line  string // as the screen has it

	// Worths are those of the measurements that count: on the run's kinds of text, or where
	// nobody knows these, those that Line names. None: not measured on such texts.
	Worths []agreement.Worth
	Least  string // of several measurements, the one that says the least for the judge, where Line has another
}

// JudgesSay says of each judge and kind of question what is known, as JudgeLines does.
func JudgesSay(r Run) []JudgeSaid {
	texts := ""
	if r.Manifest.Texts != "" {
		texts = " of " + strings.ReplaceAll(r.Manifest.Texts, ",", ", ")
	}
	language := ForeignLanguage(r.Manifest)
	if language != "" {
		texts += " in " + language
	}

	var out []JudgeSaid
	for _, j := range judgesOf(r) {
		for _, kind := range kindsOf(r) {
			c := agreement.Look(j, kind, r.Manifest.Texts, language, r.Measured...)
			said := JudgeSaid{Judge: j, Kind: kind}
			least, here := c.Least()
			switch {
			case texts == "" && len(c.Elsewhere) > 0:
				said.take(byTexts(j, kind, c.Elsewhere))
			case strings.Contains(texts, ",") && here && least.Worth != agreement.Useless:
				said.take(byTexts(j, kind, c.Here))
			default:
				said.Line = judgeLine(j, string(kind)+texts, c)
			}

			for _, k := range c.Here {
				said.Worths = append(said.Worths, k.Worth)
			}
			if own := ownPrompt(r.Manifest, j, kind); own != "" {
				said.Line += "; asked by " + own + ", which is not lore's own prompt"
			}
			if here && !strings.Contains(said.Line, least.String()) {
				said.Least = fmt.Sprintf("%s (%s)", least, least.Worth)
			}
			out = append(out, said)
		}
	}
	return out
}

// take takes a line about several kinds of text, with the measurements it names.
func (s *JudgeSaid) take(line string, named []agreement.Known) {
	s.Line = line
	for _, k := range named {
		s.Worths = append(s.Worths, k.Worth)
	}
}

// copied reports whether the lexical judge judges copies.
func copied(m store.Manifest) bool {
	return slices.ContainsFunc(m.Judges, func(j store.Model) bool { return j.Name == lexical.Judge{}.Name() }) &&
		slices.ContainsFunc(m.Generators, func(g store.Model) bool { return g.Name == extractive.BackendName })
}

// copiesNote warns where answers are copies, which the judge favours; empty where they are none.
func copiesNote(m store.Manifest) string {
	if !copied(m) {
		return ""
	}
	return "Extractive answers are copies, which this judge favours: compare them with each other alone."
}

// Heed are the warnings of JudgeLines that bear on any comparison of systems, a line each.
func Heed(m store.Manifest) []string {
	said := append(languageProblems(m.Languages), analyzerLine(m), copiesNote(m))
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

// JudgeLines says the same on a screen: a short line per judge and kind of question, which is a
// warning where the judge was never measured for this case or is of no use in it.
func JudgeLines(w io.Writer, r Run) {
	for _, said := range JudgeTexts(r) {
		usage.Wrap(w, said)
	}
}

// JudgeTexts are the lines of JudgeLines.
func JudgeTexts(r Run) []string {
	var out []string
	for _, said := range JudgesSay(r) {
		out = append(out, said.Line)
	}
	out = append(out, languageTexts(r.Manifest.Languages)...)
	out = append(out, analyzerLine(r.Manifest))
	for _, key := range []string{datasets.LanguagesNote, datasets.FiguresNote} {
		if said := described(r.Manifest, key); said != "" {
			out = append(out, said+".")
		}
	}
	out = append(out, pairNotes(r)...)
	out = append(out, copiesNote(r.Manifest))
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// byTexts is the line where the data has several kinds of text, or nobody says which: what is
// known of each of three kinds, with the measurements on these.
func byTexts(name string, kind judge.Kind, known []agreement.Known) (line string, named []agreement.Known) {
	var texts, figures []string
	for _, k := range known {
		if len(texts) < 3 && !slices.Contains(texts, k.Texts) {
			texts = append(texts, k.Texts)
		}
	}
	for _, t := range texts {
		on := slices.DeleteFunc(slices.Clone(known), func(k agreement.Known) bool { return k.Texts != t })
		named = append(named, on...)
		figures = append(figures, fmt.Sprintf("on %s %s", t, bySets(on)))
	}
	return fmt.Sprintf("Judge %s, %s: %s; see %s", usage.Plain(name), kind, strings.Join(figures, ", "), judgesPage), named
}

// bySets words what several sets of labels say of one kind of text: from the least to the greatest of
// the figures that are made as the first is.
func bySets(known []agreement.Known) string {
	first := known[0]
	var values []string
	for _, k := range alike(known) {
		values = append(values, k.Value)
	}
	if least, greatest := extremes(values); least != greatest {
		first.Value = least + " to " + greatest
		return fmt.Sprintf("%s, by %d sets", first, len(values))
	}
	return first.String()
}

// alike are the measurements that are made as the first one is.
func alike(known []agreement.Known) []agreement.Known {
	first := known[0]
	other := func(k agreement.Known) bool {
		return k.Measure != first.Measure || k.Against != first.Against || k.N != first.N
	}
	return slices.DeleteFunc(slices.Clone(known), other)
}

// extremes are the least and the greatest of figures, as they are written.
func extremes(values []string) (least, greatest string) {
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	least, greatest = values[0], values[0]
	for _, v := range values[1:] {
		if number(v) < number(least) {
			least = v
		}
		if number(v) > number(greatest) {
			greatest = v
		}
	}
	return least, greatest
}

func judgeLine(name, question string, c agreement.Case) string {
	name = usage.Plain(name)
	least, here := c.Least()
	switch {
	case here && c.Here[0].Verdict == string(agreement.DoNotUse):
		return fmt.Sprintf("Warning: judge %s, %s: %s: %s; see %s", name, question, c.Here[0], c.Here[0].Verdict, judgesPage)
	case here && least.Worth == agreement.Useless:
		return fmt.Sprintf("Warning: judge %s is no use for %s: %s; see %s", name, question, least, judgesPage)
	case here:
		return fmt.Sprintf("Judge %s, %s: %s (%s); see %s", name, question, bySets(c.Here), worths(alike(c.Here)), judgesPage)
	case len(c.Elsewhere) == 0:
		return fmt.Sprintf("Warning: judge %s, %s: not measured here; measure it with `lore judge audit`, see %s",
			name, question, judgesPage)
	}
	k := c.Elsewhere[0]
	on := k.Texts
	if strings.Contains(question, " in ") {
		on += " in " + languageWord(k.Language)
	}
	same := slices.DeleteFunc(slices.Clone(c.Elsewhere), func(o agreement.Known) bool {
		return o.Texts != k.Texts || o.Language != k.Language
	})
	return fmt.Sprintf("Warning: judge %s, %s: not measured here; on %s %s, see %s",
		name, question, on, bySets(same), judgesPage)
}

// worths words what several measurements are worth: the least, and the greatest where it is another.
func worths(known []agreement.Known) string {
	order := []agreement.Worth{agreement.Useless, agreement.Weak, agreement.Fair, agreement.Good}
	least, greatest := len(order), -1
	for _, k := range known {
		if at := slices.Index(order, k.Worth); at >= 0 {
			least, greatest = min(least, at), max(greatest, at)
		}
	}
	switch {
	case greatest < 0:
		return string(known[0].Worth)
	case least == greatest:
		return string(order[least])
	}
	return string(order[least]) + " to " + string(order[greatest])
}

// ForeignLanguage is the language that most judged texts are in, empty where that is English.
func ForeignLanguage(m store.Manifest) string {
	names := ordered(m.Languages.Texts)
	if len(names) == 0 || names[0] == text.English.Name {
		return ""
	}
	return names[0]
}

func languageWord(language string) string { return cmp.Or(language, text.English.Name) }

// Diagnosis counts the kinds of a benchmark's notes per system and judge, means over
// items; the page has the notes themselves.
func Diagnosis(verdicts []store.TaskVerdicts) datasets.Grid {
	g := datasets.Grid{
		Title: "Diagnosis",
		Head:  []string{"retriever", "generator", "judge"},
		Note:  "mean number per item; report.html names each; systems without any are left out",
	}

	var order []datasets.Judged
	var kinds []string
	items, counts := map[datasets.Judged]int{}, map[datasets.Judged]map[string]int{}
	for _, v := range verdicts {
		k := v.Judged
		if counts[k] == nil {
			order, counts[k] = append(order, k), map[string]int{}
		}
		items[k]++
		for _, n := range v.Notes {
			kind, _, _ := strings.Cut(n, ":")
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
			counts[k][kind]++
		}
	}
	if len(kinds) == 0 {
		return g
	}

	slices.Sort(kinds)
	g.Head = append(g.Head, kinds...)
	for _, k := range order {
		if len(counts[k]) == 0 {
			continue
		}
		row := []string{k.Retriever, k.Generator, k.Judge}
		for _, kind := range kinds {
			row = append(row, fmt.Sprintf("%.2f", float64(counts[k][kind])/float64(items[k])))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// RetrievalNotes say what the models of retrievers and encoders were given and did:
// texts cut, replies that could not be read. There is a table per kind of model in use.
func RetrievalNotes(m store.Manifest) []datasets.Grid {
	grids := []datasets.Grid{
		embedderGrid(m.Retrieval.Embedders),
		rerankerGrid(m.Retrieval.Rerankers),
		condenserGrid(m.Retrieval.Condensers),
		bertGrid(m.Settings["bertscore"]),
		ForgedGrid(forgedTexts(m)),
	}
	return slices.DeleteFunc(grids, func(g datasets.Grid) bool { return len(g.Rows) == 0 })
}

func embedderGrid(embedders []store.Embedder) datasets.Grid {
	g := datasets.Grid{
		Title: "Embedders",
		Head:  []string{"model", "texts", "longer than a window", "cut", "settings"},
	}
	for _, e := range embedders {
		g.Rows = append(g.Rows, []string{
			e.Settings.Name,
			fmt.Sprint(e.Texts),
			share(e.Windowed+e.Cut, e.Texts),
			share(e.Cut, e.Texts),
			embedderText(e.Settings),
		})
	}
	return g
}

func rerankerGrid(rerankers []store.Reranker) datasets.Grid {
	g := datasets.Grid{
		Title: "Rerankers",
		Head:  []string{"retriever", "by", "replies", "repaired", "unreadable", "passages cut", "what was done"},
	}
	for _, r := range rerankers {
		g.Rows = append(g.Rows, []string{
			r.Pipeline,
			r.Name,
			fmt.Sprint(r.Calls),
			share(r.Repaired, r.Calls),
			share(r.Unparsable, r.Calls),
			fmt.Sprint(r.Cut),
			r.Remedy,
		})
	}
	return g
}

func condenserGrid(condensers []store.Condenser) datasets.Grid {
	g := datasets.Grid{
		Title: "Documents shortened before they were shown",
		Head:  []string{"retriever", "by", "documents", "shortened", "before", "shown", "done without the model"},
	}

	var longer []string
	for _, c := range condensers {
		if c.Longer > 0 {
			longer = append(longer, fmt.Sprintf("%s %d", c.Pipeline, c.Longer))
		}
		failed := share(c.Failed, c.Documents)
		if c.Failed > 0 {
			failed += ": " + c.Example
		}
		g.Rows = append(g.Rows, []string{
			c.Pipeline,
			c.By,
			fmt.Sprint(c.Documents),
			shortenedOf(c),
			length(c.Before, c.CharactersBefore),
			length(c.After, c.CharactersAfter),
			failed,
		})
	}
	if len(longer) > 0 {
		g.Note = "Documents that became longer than they were: " + strings.Join(longer, ", ") + "."
	}
	return g
}

// shortenedOf is how many documents are shorter than before; runs of earlier versions did not count them.
func shortenedOf(c store.Condenser) string {
	if c.Shortened+c.Longer+c.Same < c.Documents {
		return datasets.NoValue
	}
	return fmt.Sprint(c.Shortened)
}

// length is in characters where documents are cut by these, else in tokens.
func length(tokens, characters int) string {
	if characters > 0 {
		return fmt.Sprintf("%d characters", characters)
	}
	return fmt.Sprintf("%d tokens", tokens)
}

// bertGrid reads the settings that a run with BERTScore has.
func bertGrid(settings any) datasets.Grid {
	b, ok := settings.(map[string]any)
	if !ok {
		return datasets.Grid{}
	}
	answers, cut := countOf(b["answers"]), countOf(b["answers_cut"])
	return datasets.Grid{
		Title: "BERTScore",
		Head:  []string{"encoder", "window", "idf", "baseline", "answers", "cut, or compared with a cut reference"},
		Rows: [][]string{{
			fmt.Sprint(b["model"]),
			fmt.Sprint(b["window"]),
			fmt.Sprint(b["idf"]),
			fmt.Sprint(b["baseline"]),
			fmt.Sprint(answers),
			share(cut, answers),
		}},
	}
}

// ForgedTexts are texts in which marks were made neutral before a model saw them.
type ForgedTexts struct {
	To string // whom they were shown
	N  int
}

// ForgedGrid counts texts with forged marks; empty where there are none.
func ForgedGrid(counts []ForgedTexts) datasets.Grid {
	g := datasets.Grid{
		Title: "Texts with forged marks",
		Head:  []string{"shown to", "texts with forged marks"},
		Note: "Tokens of chat templates and headings of documents inside texts were made neutral before a model saw " +
			"them; " + judgesPage + " tells more.",
	}
	for _, c := range counts {
		if c.N > 0 {
			g.Rows = append(g.Rows, []string{c.To, fmt.Sprint(c.N)})
		}
	}
	return g
}

// forgedTexts are those of a run.
func forgedTexts(m store.Manifest) []ForgedTexts {
	var out []ForgedTexts
	for _, r := range m.Retrieval.Rerankers {
		out = append(out, ForgedTexts{"the reranker " + r.Name + " of " + r.Pipeline, r.Forged})
	}
	for _, c := range m.Retrieval.Condensers {
		out = append(out, ForgedTexts{"what shortens documents for " + c.Pipeline, c.Forged})
	}
	return append(out,
		ForgedTexts{"generators", m.Forged.Documents},
		ForgedTexts{"generators, as questions", m.Forged.Questions},
		ForgedTexts{"what takes answers apart", m.Forged.Apart},
		ForgedTexts{"judges", m.Forged.Judged})
}

// countOf reads a count, as it was set or as it comes back from JSON.
func countOf(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

func share(n, of int) string {
	if n == 0 || of == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}

// sparseText words how a model of learned sparse retrieval comes to its weights.
func sparseText(s embed.Settings) string {
	how := s.Pooling + " of log(1+ReLU)"
	if s.Activation == embed.LogLogReLU {
		how = s.Pooling + " of log(1+log(1+ReLU))"
	}
	switch side, _, _ := strings.Cut(s.QuerySide, " "); side {
	case "tokens,":
		how += "; queries: their tokens, each with weight 1"
	case "token":
		how += "; queries: their tokens, weighed by a file"
	case "encoder":
		how += "; queries: an encoder of their own"
	}
	if s.Special != "" {
		how += "; special tokens " + s.Special
	}
	return how
}

func embedderText(s embed.Settings) string {
	parts := []string{s.Backend, s.Pooling + " pooling", s.Similarity}
	if s.Activation != "" {
		parts = []string{s.Backend, sparseText(s)}
	}
	if s.MaxTokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", s.MaxTokens))
	}
	parts = append(parts, "long texts: "+string(s.Windows.Long))
	if s.QueryPrefix != "" || s.PassagePrefix != "" {
		parts = append(parts, fmt.Sprintf("prefix of queries %q, of documents %q", s.QueryPrefix, s.PassagePrefix))
	}
	return strings.Join(append(parts, s.Notes...), "; ")
}
