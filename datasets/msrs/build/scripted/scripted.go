// Package scripted plays the model of an MSRS build by rule.
package scripted

import (
	"regexp"
	"strings"

	"lore/datasets/stage/scripted"
	"lore/local"
)

// Careful answers the prompts of the build as a careful model would: it copies from what
// the prompt holds, and the same prompt has the same answer. A prompt that it does not
// know has the answer "".
func Careful(messages []local.Message) string { return scripted.Answer(careful, messages) }

// careful lists answers by words of the prompts under ../prompts.
var careful = []scripted.Rule{
	{Mark: "Rewrite it so that it makes sense among hundreds", Answer: rewrite},
	{Mark: `"stands_alone": true if`, Answer: check},
	{Mark: "Write one question that covers all of these", Answer: merge},
}

// capitalised are names, as far as their letters tell.
var capitalised = regexp.MustCompile(`[a-z,] ([A-Z][a-z]{2,})`)

// rewrite names the first person or place of the story.
func rewrite(prompt string) string {
	query := strings.TrimSpace(scripted.Between(prompt, "\nQuestion: ", "\n"))
	about := "this place"
	if m := capitalised.FindStringSubmatch(prompt); m != nil {
		about = m[1]
	}
	return scripted.JSON(map[string]any{"query": "In the story of " + about + ": " + query})
}

// check lets all pass: whoever rewrote was careful.
func check(string) string {
	return scripted.JSON(map[string]any{"stands_alone": true, "same_question": true, "reveals_answer": false})
}

var member = regexp.MustCompile(`(?s)Question \d+: (.*?)\nSummary \d+: (.*?)\n\n`)

// merge says all that the summaries say, one after the other.
func merge(prompt string) string {
	var queries, summaries []string
	for _, m := range member.FindAllStringSubmatch(prompt, -1) {
		queries, summaries = append(queries, m[1]), append(summaries, m[2])
	}
	return scripted.JSON(map[string]any{"query": strings.Join(queries, " "), "summary": strings.Join(summaries, " ")})
}
