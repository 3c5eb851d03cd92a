// Package scripted plays the model of a build of haystacks by rule.
package scripted

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/datasets/stage/scripted"
	"lore/local"
	"lore/local/text"
)

// Careful answers the prompts of the build as a careful model would: it copies from what
// the prompt holds, and the same prompt has the same answer. A prompt that it does not
// know has the answer "".
func Careful(messages []local.Message) string { return scripted.Answer(careful, messages) }

// careful lists answers by words of the prompts under ../prompts.
var careful = []scripted.Rule{
	{Mark: `{"facts": `, Answer: facts},
	{Mark: `{"topic": `, Answer: scripted.Always(`{"topic":"What happens in a town and around it"}`)},
	{Mark: `{"participants": `, Answer: scripted.Always(people)},
	{Mark: `{"subtopics": `, Answer: subtopics},
	{Mark: `{"pairs": `, Answer: scripted.Always(`{"pairs":[]}`)},
	{Mark: `{"insights": `, Answer: insights},
	{Mark: `{"repeated": `, Answer: scripted.Always(`{"repeated":[]}`)},
	{Mark: `Reply with JSON: {"subtopic": number}`, Answer: assign},
	{Mark: `{"query": `, Answer: query},
	{Mark: "Give the article and nothing else.", Answer: write},
	{Mark: "Give the whole new text and nothing else.", Answer: edit},
	{Mark: "Give the conversation and nothing else.", Answer: chapter},
	{Mark: `"states": true or false`, Answer: chapterCheck},
	{Mark: `{"present": `, Answer: present},
	{Mark: `{"answer": "yes"} or`, Answer: audit},
	{Mark: `{"left_out": "yes"} or`, Answer: leftOut},
	{Mark: `{"statement": `, Answer: reword},
}

const people = `{"participants":["Ana, a teacher","Ben, a baker","Cleo, a nurse"]}`

// number reads the number that stands in a prompt where the expression has its group.
func number(prompt string, where *regexp.Regexp) (n int, ok bool) {
	found := where.FindStringSubmatch(prompt)
	if found == nil {
		return 0, false
	}
	n, err := strconv.Atoi(found[1])
	return n, err == nil
}

func facts(prompt string) string {
	out := []string{}
	for _, s := range text.Sentences(scripted.Between(prompt, "Document:\n", "\n\nList up to")) {
		if len(strings.Fields(s)) > 7 && strings.ContainsAny(s, "0123456789") && len(out) < 8 {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		out = append(out, "The year 1900 is not mentioned in this document at all.")
	}
	return scripted.JSON(map[string]any{"facts": out})
}

// themes are subtopics that share no words.
var themes = [][2]string{
	{"harbour repairs", "work on quays, cranes and breakwaters by masons"},
	{"school timetable", "lessons, teachers, exams and holidays of pupils"},
	{"bakery prices", "flour, bread, ovens and what customers pay"},
	{"railway delays", "trains, platforms, signals and conductors running late"},
	{"garden show", "roses, beds, judges and visitors of flowers"},
	{"choir tour", "singers, concerts, halls and travelling by coach"},
	{"library move", "books, shelves, borrowers and a reading room"},
	{"hospital wing", "nurses, wards, surgeons and patients"},
	{"bicycle lanes", "cyclists, kerbs, helmets and painted paths"},
	{"water rates", "pipes, meters, reservoirs and household bills"},
	{"football club", "goals, coaches, stadium and supporters"},
	{"museum theft", "paintings, detectives, alarms and insurers"},
	{"cinema closing", "films, screens, tickets and projectionists"},
	{"bee keeping", "hives, honey, swarms and meadows"},
	{"glass recycling", "bottles, bins, collectors and furnaces"},
}

var wantedSubtopics = regexp.MustCompile(`Name (\d+)`)

func subtopics(prompt string) string {
	taken := scripted.Between(prompt, "taken already:", "\n\n")
	n, ok := number(prompt, wantedSubtopics)
	if !ok {
		return ""
	}

	type entry struct {
		Name  string `json:"name"`
		About string `json:"about"`
	}

	out := []entry{}
	for _, t := range themes {
		if len(out) < n && !strings.Contains(taken, t[0]) {
			out = append(out, entry{t[0], t[1]})
		}
	}
	return scripted.JSON(map[string]any{"subtopics": out})
}

// An insight has a theme's words, and a name and a number of its own.
var (
	insightNames = strings.Fields("Arlen Bexley Corwin Dunmore Elstow Farley Garvock Hexton Ilmer Jarrow " +
		"Kelsey Lorton Marden Norcott Ormsby Penrith Quorn Rydal Selby Tarrant")
	insightVerbs = []string{
		"said that %s would cost %d crowns before the month of May",
		"counted %[2]d complaints about %[1]s in one single week",
		"promised to finish %s after %d working days without a pause",
		"lost a bet over %s and paid %d friends a dinner",
		"wrote a letter on %s that %d neighbours signed",
		"remembered how %s had failed for %d days in autumn",
		"measured %s with a tape and noted %d paces",
		"taught %[2]d apprentices everything there is to know of %[1]s",
	}
)

var wantedInsights = regexp.MustCompile(`Write (\d+) statements`)

func insights(prompt string) string {
	name := scripted.Between(prompt, "Subtopic:", ":")
	n, ok := number(prompt, wantedInsights)
	if !ok {
		return ""
	}
	words := text.Words(scripted.Between(prompt, "Subtopic: "+name+":", "\n"))
	out := []string{}
	for i := range n {
		h := scripted.Hash(name + fmt.Sprint(i))
		who := fmt.Sprintf("%s of %s ", insightNames[h%20], insightNames[(h>>8)%20])
		about := fmt.Sprintf("the %s and its %s", name, words[i%len(words)])
		out = append(out, who+fmt.Sprintf(insightVerbs[i%len(insightVerbs)], about, 11+h%880)+".")
	}
	return scripted.JSON(map[string]any{"insights": out})
}

// Nearest is the place of the item that shares most words with a statement, from 1.
func Nearest(statement string, list []string) int {
	best, at := -1.0, 0
	for i, s := range list {
		if o := text.Overlap(statement, s); o > best {
			best, at = o, i
		}
	}
	return at + 1
}

func assign(prompt string) string {
	insight := scripted.Between(prompt, "\nStatement:", "\n")
	list := scripted.Items(scripted.Between(prompt, "Subtopics of", "To which one"))
	return scripted.JSON(map[string]any{"subtopic": Nearest(insight, list)})
}

func query(prompt string) string {
	name := scripted.Between(prompt, "Subtopic:", ":")
	return scripted.JSON(map[string]any{"query": "What is said about the " + name + "?"})
}

// filler says nothing particular.
var filler = []string{
	"People stood about and talked it over.", "Nobody was in a hurry that day.", "The light was already going.",
	"A dog slept by the door through all of it.", "Some nodded and others looked away.",
	"There was a smell of rain.", "One had heard it all before.", "It was quiet for a while after that.",
}

// Spread writes statements with filler between them, up to about so many words.
func Spread(statements []string, words int, seed uint64) string {
	var b strings.Builder
	n := 0
	for _, s := range statements {
		n += len(strings.Fields(s))
	}
	each := max(0, words-n) / (len(statements) + 1)

	k := seed
	fill := func() {
		for left := each; left > 0; k++ {
			s := filler[k%8]
			b.WriteString(s + " ")
			left -= len(strings.Fields(s))
		}
	}
	fill()
	for _, s := range statements {
		b.WriteString(s + " ")
		fill()
	}
	return strings.TrimSpace(b.String())
}

var wantedWords = regexp.MustCompile(`about (\d+) words`)

// WordsOf is how many words a prompt asks for.
func WordsOf(prompt string) int {
	if n, ok := number(prompt, wantedWords); ok {
		return n
	}
	return 100
}

func write(prompt string) string {
	statements := scripted.Items(scripted.Between(prompt, "spread over the article:", "Fill up with"))
	return Spread(statements, WordsOf(prompt), scripted.Hash(prompt)%8)
}

func edit(prompt string) string {
	out := scripted.Between(prompt, "Text:\n", "\n\nAdd to the text")
	if !strings.Contains(prompt, "\n\nAdd to the text") {
		out = scripted.Between(prompt, "Text:\n", "\n\nTake out of the text")
	}

	for _, s := range scripted.Items(scripted.Between(prompt, "says any of this:", "Give the whole new text")) {
		out = strings.ReplaceAll(out, s, "")
	}

	asked := "so that it is stated with every number, date and name:"
	missing := scripted.Between(prompt, asked, "Give the whole new text")
	missing, _, _ = strings.Cut(missing, "Take out of the text")
	return strings.TrimSpace(out + " " + strings.Join(scripted.Items(missing), " "))
}

func chapter(prompt string) string {
	insight := scripted.Between(prompt, "the others take it up:\n", "\n")
	said := Spread([]string{insight}, WordsOf(prompt), scripted.Hash(prompt)%8)
	return "Ana: Listen to this.\nBen: " + said + "\nCleo: Is that so?"
}

func chapterCheck(prompt string) string {
	insight := scripted.Between(prompt, "\nStatement:", "\n")
	list := scripted.Items(scripted.Between(prompt, "\nSubtopics:\n", "\nStatement:"))
	said, _, _ := strings.Cut(prompt, "\nSubtopics:")
	return scripted.JSON(map[string]any{"subtopic": Nearest(insight, list), "states": strings.Contains(said, insight)})
}

func present(prompt string) string {
	document := DocumentOf(prompt)
	out := []int{}
	for i, s := range scripted.Items(scripted.Between(prompt, "\nStatements:", "List the numbers")) {
		if States(document, s) {
			out = append(out, i+1)
		}
	}
	return scripted.JSON(map[string]any{"present": out})
}

// DocumentOf is the text that a check is about.
func DocumentOf(prompt string) string {
	document := scripted.Between(prompt, "Text:\n", "\n\nStatements:")
	document, _, _ = strings.Cut(document, "\n\nWould somebody")
	document, _, _ = strings.Cut(document, "\n\nIs anything of the following")
	return document
}

// StatementOf is the statement that an audit is about.
func StatementOf(prompt string) string {
	if s := scripted.Between(prompt, "every number, date and name in it?\n", "\n"); s != "" {
		return s
	}
	return scripted.Between(prompt, "a number, a date or a name?\n", "\n")
}

// controls are those that the build tries its checks on: this is what their text states.
var controls = []string{
	"did not run on 14 March", "6,200 crowns", "to take nine days", "called the Heron", "new ferry in 2017", "a yard in Bergen",
}

// States reports whether a text says a statement.
func States(document, statement string) bool {
	if strings.HasPrefix(document, "The ferry to Little Sark") {
		return slices.ContainsFunc(controls, func(s string) bool { return strings.Contains(statement, s) })
	}
	return strings.Contains(document, strings.TrimPrefix(statement, WordedAnew))
}

// WordedAnew begins statements that were worded anew.
const WordedAnew = "It is so that "

func audit(prompt string) string {
	return YesNo("answer", States(DocumentOf(prompt), StatementOf(prompt)))
}

func leftOut(prompt string) string {
	return YesNo("left_out", !States(DocumentOf(prompt), StatementOf(prompt)))
}

// YesNo is the reply of one field that has yes or no.
func YesNo(field string, yes bool) string {
	answer := map[bool]string{true: "yes", false: "no"}[yes]
	return scripted.JSON(map[string]string{field: answer})
}

// reword gives a statement back with other words before it.
func reword(prompt string) string {
	s := strings.TrimSuffix(scripted.Between(prompt, "\nStatement:", "\n"), ".")
	return scripted.JSON(map[string]string{"statement": WordedAnew + s + "."})
}
