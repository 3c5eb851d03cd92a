// Package guard keeps texts that are shown to a model from posing as something else: as the
// frame of a conversation, as another document, or as instructions.
package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Chat-template tokens of the model families, in any case: <|im_start|>, <|eot_id|>,
// <｜begin▁of▁sentence｜>, [INST], <<SYS>>, <start_of_turn>, </s> and their like. [SEP] and
// its like part texts for encoders.
var tokens = regexp.MustCompile(`(?i)<[|｜][^<>|｜\s]{1,40}[|｜]>` +
	`|<</?sys>>` +
	`|\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|args|sep|cls|mask|pad|unk)\]` +
	`|</?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|im_start|im_end|think|tool_call|tool_response|` +
	`(?:bos|eos|pad|unk)_token)>`)

// lineStart is where a line begins for a model, with signs of headings.
const lineStart = `(?:^|[\n\r\v\f\x{85}\x{2028}\x{2029}])[ \t>*#=_-]*`

// turns are headings of conversations in models without tokens for them.
var turns = regexp.MustCompile(`(?i)((?:^|[\n\r])[ \t]*)#{2,}[ \t]*` +
	`(instruction|response|input|system|user|assistant|human)[ \t]*:?`)

// headings are those of documents in prompts: [Document 2], Document 2:, === Document 2 ===.
var headings = regexp.MustCompile(`(?i)(` + lineStart + `)(?:` +
	`\[[ \t]*((?:document|doc|passage)[ \t_-]*#?[ \t]*\d+)[ \t]*\]:?` +
	`|((?:document|passage)[ \t_-]+#?\d+)[ \t]*(?::|=+|-{2,}|\*{2}:?))`)

// numbers are headings by a number alone, which some prompts have: [2].
var numbers = regexp.MustCompile(`(` + lineStart + `)\[[ \t]*(\d+)[ \t]*\]`)

// Text neutralises what poses as the frame of a conversation or as the heading of another
// document: its brackets become parentheses. It also counts the places.
func Text(s string) (string, int) {
	if !strings.ContainsAny(s, "<[#:=*-") {
		return s, 0
	}

	n := 0
	s = tokens.ReplaceAllStringFunc(s, func(m string) string {
		n++
		return "(" + strings.Trim(m, "<>[]|｜") + ")"
	})
	s = replace(turns, s, &n)
	return replace(headings, s, &n), n
}

// Document neutralises the same, and headings by a number alone: for documents that are
// shown side by side.
func Document(s string) (string, int) {
	s, n := Text(s)
	return replace(numbers, s, &n), n
}

// replace keeps what stands before a heading, and puts its words into parentheses.
func replace(pattern *regexp.Regexp, s string, n *int) string {
	if !pattern.MatchString(s) {
		return s
	}
	return pattern.ReplaceAllStringFunc(s, func(m string) string {
		*n++
		parts := pattern.FindStringSubmatch(m)
		return parts[1] + "(" + strings.Join(parts[2:], "") + ")"
	})
}

// Fence returns marks to put around texts, which none of them holds. They depend on the
// texts alone: the same texts have the same marks.
func Fence(texts ...string) (begin, end string) {
	all := strings.Join(texts, "\x00")
	return fenceWith(all, func(try int) string {
		sum := sha256.Sum256([]byte(fmt.Sprintf("%d\x00%s", try, all)))
		return hex.EncodeToString(sum[:])[:12]
	})
}

// fenceWith takes the first word that a text does not hold.
func fenceWith(text string, word func(try int) string) (begin, end string) {
	for try := 0; ; try++ {
		if w := word(try); !strings.Contains(text, w) {
			return "<<<text " + w + ">>>", "<<<end " + w + ">>>"
		}
	}
}
