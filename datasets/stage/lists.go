package stage

import (
	"slices"

	"lore/local/text"
)

// Places numbers n places from 0.
func Places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Window is the room, in tokens, for the longest of some prompts with their replies: a
// fifth is on top because the model's tokeniser is another than the one that counted.
func Window(needs ...int) int {
	need := slices.Max(needs)
	return need + need/5
}

// Entry is a line of a numbered list in a prompt.
type Entry struct {
	N    int
	Text string
}

// Numbered numbers texts from 1, as prompts show them.
func Numbered(list []string) []Entry {
	out := make([]Entry, len(list))
	for i, s := range list {
		out[i] = Entry{i + 1, s}
	}
	return out
}

// Alike is the first text of a list that is the same as s but for the wording, -1 if none
// is: they have at least this share of their content words in common.
func Alike(list []string, s string, share float64) int {
	return slices.IndexFunc(list, func(other string) bool { return text.Overlap(s, other) >= share })
}
