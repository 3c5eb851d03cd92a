// Package scripted plays the model of a CRUX build by rule.
package scripted

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	{Mark: "Rewrite this document as ", Answer: passages},
	{Mark: "Write the request that this report answers", Answer: request},
	{Mark: "different questions that this report answers", Answer: questions},
}

var asked = regexp.MustCompile(`Rewrite this document as (\d+) to (\d+) passages of about (\d+) words`)

// passages deals the sentences out, as many words to each passage.
func passages(prompt string) string {
	m := asked.FindStringSubmatch(prompt)
	if m == nil {
		return ""
	}
	least, _ := strconv.Atoi(m[1])
	most, _ := strconv.Atoi(m[2])
	words, _ := strconv.Atoi(m[3])
	document := scripted.Between(prompt, "Document:\n", "\n\nRewrite this document")
	n := min(max(text.Count(document)/words, least), most)

	parts := make([]string, n)
	so, share := 0, float64(text.Count(document))/float64(n)
	for _, s := range text.Sentences(document) {
		i := min(int(float64(so)/share), n-1)
		parts[i] = strings.TrimSpace(parts[i] + " " + strings.TrimSpace(s))
		so += text.Count(s)
	}
	return scripted.JSON(map[string]any{"passages": parts})
}

// report is the last one of a prompt: those before it are examples.
func report(prompt, end string) string {
	at := strings.LastIndex(prompt, "Report:\n")
	if at < 0 {
		return ""
	}
	return scripted.Between(prompt[at:], "Report:\n", end)
}

// request names what the report speaks of most, and none of what it says.
func request(prompt string) string {
	times := map[string]int{}
	parts := func(r rune) bool { return strings.ContainsRune(" \n,.;:!?\"“”()", r) }
	for _, w := range strings.FieldsFunc(report(prompt, "\n\nWrite the request"), parts) {
		if utf8.RuneCountInString(w) > 5 {
			times[strings.ToLower(w)]++
		}
	}
	list := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	about := strings.Join(list[:min(8, len(list))], ", ")
	return scripted.JSON(map[string]any{
		"request": "Write a report for a reader who has heard nothing of it. It is to be about " + about +
			", and must cover what happened, who took part, where and when it was, why it came to that, " +
			"what it cost, and what came of it afterwards.",
	})
}

var exactly = regexp.MustCompile(`Write exactly (\d+) different questions`)

// questions asks for what each sentence says by its first words; short reports are asked by their halves, too.
func questions(prompt string) string {
	m := exactly.FindStringSubmatch(prompt)
	if m == nil {
		return ""
	}
	n, _ := strconv.Atoi(m[1])
	sentences := text.Sentences(report(prompt, "\n\nWrite exactly"))
	var out []string
	for round := 0; len(out) < n && round < n; round++ {
		for _, s := range sentences {
			words := strings.Fields(s)
			from := min(round*5, max(0, len(words)-6))
			topic := strings.Trim(strings.Join(words[from:min(len(words), from+6)], " "), ",.;:!?\"")
			q := fmt.Sprintf("What does the report say of “%s”?", topic)
			if len(out) < n && topic != "" && !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	return scripted.JSON(map[string]any{"questions": out})
}
