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
// its like part texts for encoders. Matched where a bracket stands.
var tokens = regexp.MustCompile(`^(?i)(?:<[|｜][^<>|｜\s]{1,40}[|｜]>` +
	`|<</?sys>>` +
	`|\[/?(?:inst|system_prompt|available_tools|tool_calls|tool_results|tool_content|args|sep|cls|mask|pad|unk)\]` +
	`|</?(?:s|bos|eos|pad|unk|mask|start_of_turn|end_of_turn|im_start|im_end|think|tool_call|tool_response|` +
	`(?:bos|eos|pad|unk)_token)>)`)

// turns are headings of conversations in models without tokens for them.
var turns = regexp.MustCompile(`(?i)((?:^|[\n\r])[ \t]*)#{2,}[ \t]*` +
	`(instruction|response|input|system|user|assistant|human)[ \t]*:?`)

// heading is how a prompt may begin one of several documents. It is looked for at the beginning
// of lines, behind signs of headings, where one of the first bytes follows.
type heading struct {
	first   string
	pattern *regexp.Regexp
}

// signs of headings at the beginning of a line.
const signs = " \t>*#=_-"

var (
	// words are [Document 2], Document 2:, === Document 2 ===.
	words = heading{"[dDpP", regexp.MustCompile(`(?i)^([` + signs + `]*)(?:` +
		`\[[ \t]*((?:document|doc|passage)[ \t_-]*#?[ \t]*\d+)[ \t]*\]:?` +
		`|((?:document|passage)[ \t_-]+#?\d+)[ \t]*(?::|=+|-{2,}|\*{2}:?))`)}

	// numbers and letters are headings by these alone: [2], B:
	numbers = heading{"[", regexp.MustCompile(`^([` + signs + `]*)\[[ \t]*(\d+)[ \t]*\]`)}
	letters = heading{"ABCDEFGHIJKLMNOPQRST", regexp.MustCompile(`^([` + signs + `]*)([A-T])[ \t]*:`)}
)

// Text neutralises what poses as the frame of a conversation or as the heading of another
// document: its brackets become parentheses. It also counts the places.
func Text(s string) (string, int) {
	n := 0
	s = replaceTokens(s, &n)
	if strings.Contains(s, "##") {
		s = turns.ReplaceAllStringFunc(s, func(m string) string {
			n++
			parts := turns.FindStringSubmatch(m)
			return parts[1] + "(" + parts[2] + ")"
		})
	}
	return words.replace(s, &n), n
}

// Document neutralises the same, and headings by a number alone: for documents that are
// shown side by side.
func Document(s string) (string, int) {
	s, n := Text(s)
	return numbers.replace(s, &n), n
}

// Lettered neutralises the same as Text, and headings by a letter alone: for documents that are
// shown side by side, each with a letter.
func Lettered(s string) (string, int) {
	s, n := Text(s)
	return letters.replace(s, &n), n
}

// replaceTokens looks at brackets alone: a pattern over a whole text takes a hundred times as
// long.
func replaceTokens(s string, n *int) string {
	var out strings.Builder
	kept := 0
	for at := 0; ; {
		i := strings.IndexAny(s[at:], "<[")
		if i < 0 {
			break
		}
		at += i
		m := tokens.FindString(s[at:])
		if m == "" {
			at++
			continue
		}
		*n++
		out.WriteString(s[kept:at] + "(" + strings.Trim(m, "<>[]|｜") + ")")
		at += len(m)
		kept = at
	}
	if kept == 0 {
		return s
	}
	out.WriteString(s[kept:])
	return out.String()
}

// replace keeps what stands before a heading, and puts its words into parentheses.
func (h heading) replace(s string, n *int) string {
	var out strings.Builder
	kept := 0
	for at := 0; at < len(s); {
		end := at + lineLength(s[at:])
		sign := at
		for sign < end && strings.IndexByte(signs, s[sign]) >= 0 {
			sign++
		}
		if sign < end && strings.IndexByte(h.first, s[sign]) >= 0 {
			if parts := h.pattern.FindStringSubmatch(s[at:end]); parts != nil {
				*n++
				out.WriteString(s[kept:at] + parts[1] + "(" + strings.Join(parts[2:], "") + ")")
				kept = at + len(parts[0])
			}
		}
		at = end
	}
	if kept == 0 {
		return s
	}
	out.WriteString(s[kept:])
	return out.String()
}

// lineLength is the length of the first line, with what ends it: whatever a model may read as
// the end of a line.
func lineLength(s string) int {
	for i := range len(s) {
		switch s[i] {
		case '\n', '\r', '\v', '\f':
			return i + 1
		case 0xc2:
			if strings.HasPrefix(s[i:], "\u0085") {
				return i + len("\u0085")
			}
		case 0xe2:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				return i + len("\u2028")
			}
		}
	}
	return len(s)
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
