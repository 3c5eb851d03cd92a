package fake

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"

	"lore/local"
	"lore/local/text"
)

// Careful answers the prompts of lore's builds as a careful model would: it copies from
// what the prompt holds, and the same prompt has the same answer. A prompt that it does
// not know has the answer "".
func Careful(messages []local.Message) string {
	if len(messages) == 0 {
		return ""
	}
	p := messages[len(messages)-1].Content
	for _, c := range careful {
		if strings.Contains(p, c.mark) {
			return c.answer(p)
		}
	}
	return ""
}

// careful lists answers by a part of the prompt.
var careful = []struct {
	mark   string
	answer func(prompt string) string
}{
	{`"needs_sources"`, screen},
	{"Taking it as a model for style", evolve},
	{"harder version", evolve},
	{`"simple": it asks for one thing`, decompose},
	{"<point>the statement</point>", extract},
	{"Put points that say the same into one", merge},
	{"Does this information by itself answer", significant},
	{`{"facts": `, facts},
	{`{"topic": `, topic},
	{`{"participants": `, participants},
	{`{"subtopics": `, subtopics},
	{`{"pairs": `, func(string) string { return `{"pairs":[]}` }},
	{`{"insights": `, insights},
	{`{"repeated": `, func(string) string { return `{"repeated":[]}` }},
	{`Reply with JSON: {"subtopic": number}`, assign},
	{`{"query": `, query},
	{"Give the article and nothing else.", write},
	{"Give the whole new text and nothing else.", edit},
	{"Give the conversation and nothing else.", chapter},
	{`"states": true or false`, chapterCheck},
	{`{"present": `, present},
	{`{"answer": "yes"} or`, audit},
}

// Between cuts the part of s between two marks; "" where the first is not there.
func Between(s, from, to string) string {
	_, s, ok := strings.Cut(s, from)
	if !ok {
		return ""
	}
	s, _, _ = strings.Cut(s, to)
	return strings.TrimSpace(s)
}

// JSON encodes an answer.
func JSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // answers are plain values
	}
	return string(data)
}

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // a hash takes all
	return h.Sum64()
}

func screen(p string) string {
	q := strings.ToLower(Between(p, "Question:", "\n"))
	category := "explanatory"
	for _, c := range [][2]string{{"why", "causal"}, {"differ", "comparative"}, {"how do you", "methodological"}, {"what if", "hypothetical"}, {"will", "predictive"}, {"best", "subjective"}, {"which", "factual"}} {
		if strings.Contains(q, c[0]) {
			category = c[1]
			break
		}
	}
	return JSON(map[string]any{"needs_sources": true, "clear": true, "one_reading": true, "complex": len(strings.Fields(q)) > 5, "invites_judgement": false, "category": category, "domain": "history"})
}

var subjects = []string{"harbour wall", "winter fair", "railway strike", "glass works", "river ferry", "choir festival", "stone quarry", "water mill"}

func evolve(p string) string {
	n, err := strconv.Atoi(regexp.MustCompile(`write (\d+)`).FindStringSubmatch(strings.ToLower(p))[1])
	if err != nil {
		return ""
	}
	domain := Between(p, `domain "`, `"`)
	var out []string
	for i := range n {
		seed := hash(fmt.Sprint(p, i))
		out = append(out, fmt.Sprintf("Which turns did the %s of the town number %d take in the field of %s, and who decided about %s in the end?", subjects[seed%8], seed%1000, domain, subjects[(seed>>8)%8]))
	}
	return JSON(map[string]any{"questions": out})
}

func decompose(p string) string {
	q := Between(p, "Question:", "\n")
	parts := strings.Split(strings.TrimSuffix(q, "?"), ", and ")
	if len(parts) == 1 {
		return JSON(map[string]any{"type": "simple", "questions": []string{}})
	}
	for i := range parts {
		parts[i] += "?"
	}
	return JSON(map[string]any{"type": "complex", "questions": parts})
}

// sharing returns the sentences of a document that share a content word with a query.
func sharing(document, query string) []string {
	words := map[string]bool{}
	for _, t := range text.Terms(query) {
		words[t] = true
	}
	var out []string
	for _, s := range text.Sentences(document) {
		for _, t := range text.Terms(s) {
			if words[t] && len(strings.Fields(s)) >= 4 && s[0] != '#' {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

func extract(p string) string {
	found := Between(p, "list new points only:\n", "If the document")
	var b strings.Builder
	for _, s := range sharing(Between(p, "Document:\n", "\n\nQuestion:"), Between(p, "\nQuestion: ", "\n")) {
		if n := strings.Count(b.String(), "\n"); n < 3 && !strings.Contains(found, s) {
			fmt.Fprintf(&b, "Point %d: <point>%s</point><span>%s</span>\n", n+1, s, s)
		}
	}
	if b.Len() == 0 {
		return "NONE"
	}
	return b.String()
}

func merge(p string) string {
	var order []string
	members := map[string][]string{}
	for line := range strings.Lines(Between(p, "answer the question:", "Put points that")) {
		n, s, ok := strings.Cut(strings.TrimSpace(line), ". ")
		if _, err := strconv.Atoi(n); err != nil || !ok {
			continue
		}
		if members[s] == nil {
			order = append(order, s)
		}
		members[s] = append(members[s], n)
	}
	var b strings.Builder
	for i, s := range order {
		fmt.Fprintf(&b, "Point %d: %s [%s]\n", i+1, s, strings.Join(members[s], ", "))
	}
	return b.String()
}

func significant(p string) string {
	if text.Overlap(Between(p, "Question:", "\n"), Between(p, "Information:", "\n")) > 0.05 {
		return "YES"
	}
	return "NO"
}

// items reads the lines of a list with "- " or "1. " in front.
func items(list string) []string {
	var out []string
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "- "); ok {
			out = append(out, rest)
		} else if n, rest, ok := strings.Cut(line, ". "); ok && strings.Trim(n, "0123456789") == "" && n != "" {
			out = append(out, rest)
		}
	}
	return out
}

func facts(p string) string {
	out := []string{}
	for _, s := range text.Sentences(Between(p, "Document:\n", "\n\nList up to")) {
		if len(strings.Fields(s)) > 7 && strings.ContainsAny(s, "0123456789") && len(out) < 8 {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		out = append(out, "The year 1900 is not mentioned in this document at all.")
	}
	return JSON(map[string]any{"facts": out})
}

func topic(string) string { return `{"topic":"What happens in a town and around it"}` }

func participants(string) string {
	return `{"participants":["Ana, a teacher","Ben, a baker","Cleo, a nurse"]}`
}

// themes are subtopics that share no words.
var themes = [][2]string{
	{"harbour repairs", "work on quays, cranes and breakwaters by masons"}, {"school timetable", "lessons, teachers, exams and holidays of pupils"}, {"bakery prices", "flour, bread, ovens and what customers pay"},
	{"railway delays", "trains, platforms, signals and conductors running late"}, {"garden show", "roses, beds, judges and visitors of flowers"}, {"choir tour", "singers, concerts, halls and travelling by coach"},
	{"library move", "books, shelves, borrowers and a reading room"}, {"hospital wing", "nurses, wards, surgeons and patients"}, {"bicycle lanes", "cyclists, kerbs, helmets and painted paths"},
	{"water rates", "pipes, meters, reservoirs and household bills"}, {"football club", "goals, coaches, stadium and supporters"}, {"museum theft", "paintings, detectives, alarms and insurers"},
	{"cinema closing", "films, screens, tickets and projectionists"}, {"bee keeping", "hives, honey, swarms and meadows"}, {"glass recycling", "bottles, bins, collectors and furnaces"},
}

func subtopics(p string) string {
	taken := Between(p, "taken already:", "\n\n")
	n, err := strconv.Atoi(regexp.MustCompile(`Name (\d+)`).FindStringSubmatch(p)[1])
	if err != nil {
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
	return JSON(map[string]any{"subtopics": out})
}

// An insight has a theme's words, and a name and a number of its own.
var (
	insightNames = strings.Fields("Arlen Bexley Corwin Dunmore Elstow Farley Garvock Hexton Ilmer Jarrow Kelsey Lorton Marden Norcott Ormsby Penrith Quorn Rydal Selby Tarrant")
	insightVerbs = []string{"said that %s would cost %d crowns before the month of May", "counted %[2]d complaints about %[1]s in one single week", "promised to finish %s after %d working days without a pause", "lost a bet over %s and paid %d friends a dinner", "wrote a letter on %s that %d neighbours signed", "remembered how %s had failed for %d days in autumn", "measured %s with a tape and noted %d paces", "taught %[2]d apprentices everything there is to know of %[1]s"}
)

func insights(p string) string {
	name := Between(p, "Subtopic:", ":")
	n, err := strconv.Atoi(regexp.MustCompile(`Write (\d+) statements`).FindStringSubmatch(p)[1])
	if err != nil {
		return ""
	}
	words := text.Words(Between(p, "Subtopic: "+name+":", "\n"))
	out := []string{}
	for i := range n {
		h := hash(name + fmt.Sprint(i))
		about := fmt.Sprintf("the %s and its %s", name, words[i%len(words)])
		out = append(out, fmt.Sprintf("%s of %s ", insightNames[h%20], insightNames[(h>>8)%20])+fmt.Sprintf(insightVerbs[i%len(insightVerbs)], about, 11+h%880)+".")
	}
	return JSON(map[string]any{"insights": out})
}

func assign(p string) string {
	insight := Between(p, "\nStatement:", "\n")
	best, at := -1.0, 0
	for i, s := range items(Between(p, "Subtopics of", "To which one")) {
		if o := text.Overlap(insight, s); o > best {
			best, at = o, i
		}
	}
	return JSON(map[string]any{"subtopic": at + 1})
}

func query(p string) string {
	return JSON(map[string]any{"query": "What is said about the " + Between(p, "Subtopic:", ":") + "?"})
}

// filler says nothing particular.
var filler = []string{"People stood about and talked it over.", "Nobody was in a hurry that day.", "The light was already going.", "A dog slept by the door through all of it.", "Some nodded and others looked away.", "There was a smell of rain.", "One had heard it all before.", "It was quiet for a while after that."}

// Spread writes statements with filler between them, up to about so many words.
func Spread(statements []string, words int, seed uint64) string {
	var b strings.Builder
	n := 0
	for _, s := range statements {
		n += len(strings.Fields(s))
	}
	k := seed
	each := max(0, words-n) / (len(statements) + 1)
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

func wordsOf(p string) int {
	n, err := strconv.Atoi(regexp.MustCompile(`about (\d+) words`).FindStringSubmatch(p)[1])
	if err != nil {
		return 100
	}
	return n
}

func write(p string) string {
	return Spread(items(Between(p, "spread over the article:", "Fill up with")), wordsOf(p), hash(p)%8)
}

func edit(p string) string {
	out := Between(p, "Text:\n", "\n\nAdd to the text")
	if !strings.Contains(p, "\n\nAdd to the text") {
		out = Between(p, "Text:\n", "\n\nTake out of the text")
	}
	for _, s := range items(Between(p, "says any of this:", "Give the whole new text")) {
		out = strings.ReplaceAll(out, s, "")
	}
	missing := Between(p, "so that it is stated with every number, date and name:", "Give the whole new text")
	missing, _, _ = strings.Cut(missing, "Take out of the text")
	return strings.TrimSpace(out + " " + strings.Join(items(missing), " "))
}

func chapter(p string) string {
	insight := Between(p, "the others take it up:\n", "\n")
	return "Ana: Listen to this.\nBen: " + Spread([]string{insight}, wordsOf(p), hash(p)%8) + "\nCleo: Is that so?"
}

func chapterCheck(p string) string {
	insight := Between(p, "\nStatement:", "\n")
	best, at := -1.0, 0
	for i, s := range items(Between(p, "\nSubtopics:\n", "\nStatement:")) {
		if o := text.Overlap(insight, s); o > best {
			best, at = o, i
		}
	}
	return JSON(map[string]any{"subtopic": at + 1, "states": strings.Contains(p[:strings.Index(p, "\nSubtopics:")], insight)})
}

func present(p string) string {
	document := Between(p, "Text:\n", "\n\nStatements:")
	out := []int{}
	for i, s := range items(Between(p, "\nStatements:", "List the numbers")) {
		if strings.Contains(document, s) {
			out = append(out, i+1)
		}
	}
	return JSON(map[string]any{"present": out})
}

func audit(p string) string {
	if strings.Contains(Between(p, "Text:\n", "\n\nWould somebody"), Between(p, "every number, date and name in it?\n", "\n")) {
		return `{"answer":"yes"}`
	}
	return `{"answer":"no"}`
}
