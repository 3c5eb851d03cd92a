// Package page makes report.html: one file that needs nothing else, opens offline, and may
// be opened by somebody who has neither lore nor the data.
//
// What it shows is data: a Head, which the first screen needs, and blocks that are unpacked
// when they are looked at, one per question and some per documents. New makes all of it, a
// pure function of run folders; Write puts it into a page with the script of src. Another
// page may read the same data from elsewhere: src/source.js is the only part that knows
// where blocks come from.
//
// Figures are in the units that are shown, shares times 100. All texts are plain
// (usage.Plain): what cannot be seen is shown as a sign.
package page

// Format is the version of the page's data.
const Format = 1

// Head is what the page shows first. Systems, rows, items, metrics and judges are named by
// their places in its lists.
type Head struct {
	Format    int         `json:"format"`
	Title     string      `json:"title"`
	Date      string      `json:"date,omitempty"`  // as the user said it
	Study     string      `json:"study,omitempty"` // that the run is part of, whose page lies in the folder above
	Benchmark string      `json:"benchmark"`
	About     string      `json:"about"`
	Compared  string      `json:"compared"` // what was compared, in a sentence
	Differ    []string    `json:"differ"`   // settings that are not the same in all runs
	Lore      string      `json:"lore"`
	Interval  string      `json:"interval"` // how intervals are made
	Reading   string      `json:"reading,omitempty"`
	Headline  int         `json:"headline"` // the metric that sums a run up
	Metrics   []Metric    `json:"metrics"`
	Judges    []string    `json:"judges"`
	Kinds     []string    `json:"kinds"` // of questions that judges were asked
	Runs      []RunName   `json:"runs"`
	Systems   []System    `json:"systems"`
	Rows      []Row       `json:"rows"`
	Answers   []Answered  `json:"answers"` // the answer in short, by judge
	Contrasts []Contrasts `json:"contrasts"`
	Trust     []Trust     `json:"trust"`
	Heed      []string    `json:"heed"`              // what bears on the answer in short, a sentence each
	Lost      []string    `json:"lost"`              // how much is missing of how much, a sentence each; none: nothing
	Failed    []string    `json:"failed"`            // what failed, a sentence each; none: nothing
	Lacking   string      `json:"lacking,omitempty"` // why there are no documents; empty: there are
	Warnings  []string    `json:"warnings"`
	Items     []Item      `json:"items"`
	Documents []string    `json:"documents"` // their ids, those that nobody was shown last
	Shown     int         `json:"shown"`     // how many have a text
	PerBlock  []int       `json:"per_block"` // first document of each block of documents
	Figures   Figures     `json:"figures"`
	Tables    []Table     `json:"tables"`   // all that is said besides, folded below
	Settings  [][2]string `json:"settings"` // how it was run

	// AnswersFrom words which verdicts say that a text answers a question; empty where the
	// benchmark does not compare answers with their contexts so.
	AnswersFrom string `json:"answers_from,omitempty"`
}

// RunName is a run with what tells it from others.
type RunName struct {
	Name string `json:"name"`
	Data string `json:"data"` // first digits of the data's hash
}

// Metric is a column.
type Metric struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Explain string `json:"explain"`
	Percent bool   `json:"percent"`
	Lead    bool   `json:"lead"`
	Judged  bool   `json:"judged"`
	Aside   bool   `json:"aside,omitempty"`
	Asked   int    `json:"asked"` // the metric that says how much was asked for; -1: none
}

// System is a retriever with a generator, in one run.
type System struct {
	Name      string `json:"name"`                // by what differs between systems
	Base      string `json:"base"`                // the same without its run
	Full      string `json:"full"`                // whole
	Run       int    `json:"run"`                 // place of its run
	Reference bool   `json:"reference,omitempty"` // marks an end of the scale: oracle, random, none, gold

	end    string // what such an end is given, in words
	chance bool   // it is an end that knows nothing
}

// Row is a system as one judge sees it. Figures are by metric; null where there are none.
type Row struct {
	System   int       `json:"system"`
	Judge    int       `json:"judge"`
	Items    int       `json:"items"`
	Failed   int       `json:"failed,omitempty"`
	Cut      int       `json:"cut,omitempty"`
	N        int       `json:"n"`
	Unscored int       `json:"unscored,omitempty"`
	Figures  []*Figure `json:"figures"`
}

// Figure is a value with its interval, and what it would be if all that is missing were
// worst or best.
type Figure struct {
	Value   *float64 `json:"v"`
	Low     *float64 `json:"lo,omitempty"`
	High    *float64 `json:"hi,omitempty"`
	N       int      `json:"n"`
	Missing int      `json:"missing,omitempty"`
	Worst   *float64 `json:"worst,omitempty"`
	Best    *float64 `json:"best,omitempty"`
}

// Answered is what a judge's verdicts say about the run's question: which system is better
// on a metric?
type Answered struct {
	Metric    int      `json:"metric"`
	Judge     int      `json:"judge"` // -1: no judge has a say
	Sentences []string `json:"sentences"`
	Notes     []string `json:"notes"` // what the words and figures in them mean
}

// Contrasts are the tests of one metric under one judge.
type Contrasts struct {
	Metric int    `json:"metric"`
	Judge  int    `json:"judge"` // -1: all, no judge has a say
	Tests  int    `json:"tests"`
	Pairs  []Pair `json:"pairs"` // all, or where there are very many, those with the best system
	All    bool   `json:"all"`

	// Standing has a letter for each system: b the best, o not told apart from it, w worse,
	// and - where nothing is marked. Marks says below the table what that means.
	Standing string `json:"standing"`
	Marks    string `json:"marks"`
}

// Pair is the test of two systems on the units both have.
type Pair struct {
	A     int      `json:"a"` // systems
	B     int      `json:"b"`
	Diff  *float64 `json:"d"` // A minus B
	Low   *float64 `json:"lo"`
	High  *float64 `json:"hi"`
	P     *float64 `json:"p"` // corrected (Holm)
	Test  string   `json:"t"` // that decided
	Shown bool     `json:"s"` // a difference is shown

	least *float64 // true difference that is found in 80 % of cases; nil: none
	can   bool     // the test could show a difference at all
}

// Trust is what is known of a judge's agreement with people, as the notes of a run say it.
type Trust struct {
	Judge string `json:"judge"`
	Kind  string `json:"kind"`
	Said  string `json:"said"`
	Worth string `json:"worth"`           // the worst that counts: good, fair, weak, useless; empty: not measured on such texts
	Best  string `json:"best"`            // the best that counts
	Least string `json:"least,omitempty"` // the lowest measurement, where Said has a higher one
}

// Item is a question in the list.
type Item struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Group  string `json:"group"`
	Topic  string `json:"topic,omitempty"`  // of its documents, where the data says it
	Failed int    `json:"failed,omitempty"` // answers without a score
	Split  int    `json:"split,omitempty"`  // statements on which judges disagree, over all systems
}

// Table is a table of words.
type Table struct {
	Title string     `json:"title"`
	Note  string     `json:"note,omitempty"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// Figures are what pictures draw that is not in rows.
type Figures struct {
	// Positions: how statements fare by where the first document that holds them stood in the
	// context, in tenths of it.
	Positions []Series `json:"positions,omitempty"`
	// Held: the same by how many documents hold a statement.
	Held []Series `json:"held,omitempty"`
	// Agreement of each two judges on the same statements.
	Agreement []JudgePair `json:"agreement,omitempty"`
	// Bounds are pairs of metrics: a figure, and the most that the context allows.
	Bounds [][2]int `json:"bounds,omitempty"`
	// Scatter are the metrics of the picture of citation against coverage.
	Scatter []int `json:"scatter,omitempty"`
	// Facets are the benchmark's own pictures of a metric by the values of a facet.
	Facets []FacetFigure `json:"facets,omitempty"`
}

// FacetFigure is a metric by the values of a facet. The means are over items, in the metric's unit.
type FacetFigure struct {
	Title  string   `json:"title"`
	Note   string   `json:"note"`
	Axis   string   `json:"axis"`
	Metric int      `json:"metric"`
	Radar  bool     `json:"radar,omitempty"`
	Series []Series `json:"series"`
}

// Series is a row's mean verdict, from 0 to 100, or its mean of a metric, by the bins of a picture.
type Series struct {
	Row   int        `json:"row"`
	Bins  []string   `json:"bins"`
	Means []*float64 `json:"means"`
	N     []int      `json:"n"`
}

// JudgePair is how two judges agree.
type JudgePair struct {
	A     int      `json:"a"`
	B     int      `json:"b"`
	N     int      `json:"n"`
	Same  float64  `json:"same"` // percent of labels that are the same
	R     *float64 `json:"r"`    // Pearson of the values
	Table [][]int  `json:"table"`
	Kind  string   `json:"kind"`
	Names []string `json:"names"` // of rows and columns of Table
}

// Values are the means of items, by row, lead metric and item, and the verdicts, by row and
// statement, from 0 to 100. Null is none.
type Values struct {
	Metrics    []int          `json:"metrics"`
	Rows       [][][]*float64 `json:"rows"`
	Statements [][2]int       `json:"statements"` // item, and place among what was asked
	Verdicts   [][]*float64   `json:"verdicts"`
}

// Question is all that is known of one item.
type Question struct {
	Item     int        `json:"item"`
	Asked    []Asked    `json:"asked"`
	Answers  []Answer   `json:"answers"` // not by place: each names its system
	Verdicts []Verdicts `json:"verdicts"`
	Contexts []Context  `json:"contexts"`
	Gold     []int      `json:"gold,omitempty"` // relevant documents; empty where nobody knows

	// Labels are the numbers by which answers cite documents, whoever was shown them, where
	// the data numbers them.
	Labels map[int]string `json:"labels,omitempty"`

	Documents []Judged `json:"documents,omitempty"` // those that were judged by themselves
}

// Judged is what a judge said of a document that was shown, in one run.
type Judged struct {
	Run      int       `json:"run"`
	Judge    int       `json:"judge"`
	Document int       `json:"doc"`
	List     []Verdict `json:"list"` // by place of Asked
}

// InContext is what the documents that a system was shown say of a question.
type InContext struct {
	By   []int `json:"by,omitempty"`   // documents that answer it, by the data or the judge, in the order shown
	Open int   `json:"open,omitempty"` // documents whose verdict is missing
}

// Asked is a statement, key point or sub-question.
type Asked struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Text    string `json:"text,omitempty"` // empty: that of the one before
	Holders []int  `json:"holders,omitempty"`
}

// Answer is what a system answered.
type Answer struct {
	System  int      `json:"system"`
	Outcome string   `json:"outcome,omitempty"` // empty: ok
	Reason  string   `json:"reason,omitempty"`
	Failed  bool     `json:"failed,omitempty"`
	Text    string   `json:"text"`
	Units   []string `json:"units,omitempty"`  // parts that verdicts name, as the judge is shown them; none: its lines
	Parts   [][2]int `json:"parts,omitempty"`  // where these stand in Text, in UTF-16 units; none: not known
	Cites   []Cite   `json:"cites"`            // what cites in Text, as the scoring read it; null: not known
	Points  []string `json:"points,omitempty"` // its own
	Context int      `json:"context"`          // -1: not known
	Tokens  [3]int   `json:"tokens"`           // of context, prompt and answer; 0: not counted
	Cut     int      `json:"cut,omitempty"`    // documents cut, and left out
	Dropped int      `json:"dropped,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Cite is a place in an answer that cites, in UTF-16 units, with labels and documents. -1 is
// a document that the data does not have.
type Cite struct {
	From      int      `json:"from"`
	To        int      `json:"to"`
	Labels    []string `json:"labels"`
	Documents []int    `json:"docs"`
}

// Verdicts are what a row's judge said of its answer, by place of Asked.
type Verdicts struct {
	Row    int       `json:"row"`
	List   []Verdict `json:"list"`
	Points []Verdict `json:"points,omitempty"` // on the answer's own points: are they among what is asked?
	Held   []Verdict `json:"held,omitempty"`   // on the same points: do documents hold them?
	Notes  []string  `json:"notes,omitempty"`

	// Prompts are what models were asked, as the judge or as members of it; none: not known, or
	// no model was asked.
	Prompts []JudgePrompt `json:"prompts,omitempty"`

	// Context is what the documents shown say, by place of Asked; null where no document
	// of the data answers the question. None where it is not known what was shown.
	Context []*InContext `json:"context,omitempty"`
}

// JudgePrompt is what a model was asked about an answer: messages of which each has a beginning
// that all questions share, and an end by place of Asked.
type JudgePrompt struct {
	Judge    string         `json:"judge"`
	Messages []JudgeMessage `json:"messages"`
}

// JudgeMessage is a message to a judge.
type JudgeMessage struct {
	Role  string   `json:"role"`
	Begin string   `json:"begin"`
	Ends  []string `json:"ends"`
}

// Verdict is a label, or a reason why there is none.
type Verdict struct {
	Label    string   `json:"l,omitempty"`
	Value    float64  `json:"v"`
	Answers  bool     `json:"a,omitempty"` // the text answers the question (Head.AnswersFrom)
	Unit     int      `json:"u,omitempty"`
	Score    *float64 `json:"s,omitempty"`
	Evidence []string `json:"e,omitempty"`
	Flags    []string `json:"f,omitempty"`
	Reply    string   `json:"r,omitempty"`
	Replies  []Reply  `json:"rs,omitempty"` // of judges together
	Reason   string   `json:"x,omitempty"`
}

// Reply is what one of several judges said.
type Reply struct {
	Judge string `json:"j"`
	Text  string `json:"t"`
}

// Context is what systems were shown.
type Context struct {
	Passages []Passage `json:"passages"`
	Prompt   []Message `json:"prompt,omitempty"`
}

// Passage is a document shown. Chars is how much of it, in UTF-16 units; -1 is all. Text is
// the place of the text that was shown instead of the document's own, such as a summary; 0:
// its own.
type Passage struct {
	Label    string `json:"label"`
	Document int    `json:"doc"`
	Chars    int    `json:"chars"`
	Text     int    `json:"text,omitempty"`
}

// Message is one of a prompt, whose parts are words, or passages by their number from 1.
type Message struct {
	Role  string `json:"role"`
	Parts []any  `json:"parts"`
}

// Document is a text.
type Document struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}
