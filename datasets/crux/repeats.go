package crux

import (
	"strings"

	"lore/local/text"
)

// Constants of what counts as a sentence that only repeats questions, chosen on the 50
// human-written reports of DUC 2004 (docs/gaming.md).
const (
	heldFrom     = 0.7 // share of a question's content words that a sentence has, from which it repeats the question
	repeatedFrom = 0.8 // share of a sentence's content words that stand in such questions, from which it says no more
	wrapping     = 4   // most content words around a question in its own words, up to which no more is said
)

// unknowing are stems of words that say that something is not known, or where. They are no
// content of a sentence that repeats a question.
var unknowing = func() map[string]bool {
	out := map[string]bool{}
	for _, t := range text.Terms(`
unknown unclear uncertain unspecified unanswered undisclosed know known clear answer answers answered question
questions document documents passage passages text texts source sources context report reports article articles
information detail details say says said mention mentions mentioned specify specified provide
provided describe described discuss discussed explain explained address addressed indicate indicated contain
contains give given regarding concerning following`) {
		out[t] = true
	}
	return out
}()

// asking are the words of a sentence that asks.
var asking = map[string]bool{
	"who": true, "whom": true, "whose": true, "what": true, "when": true, "where": true, "why": true, "which": true,
	"how": true, "whether": true, "if": true,
}

// repeats tells the sentences of a report that only repeat sub-questions: they ask, or say
// that something is not known, and nearly all their content words stand in questions whose
// words they nearly all have; or they are a question word for word with little around it. A
// sentence that answers a question has words of its own, the answer's. The rest is what is
// judged; share is that of the repetitions, in [0,1].
func repeats(report string, questions []string) (rest string, share float64) {
	sentences := text.Sentences(report)
	terms := make([]map[string]bool, len(questions))
	for i, q := range questions {
		terms[i] = content(q)
	}

	var kept []string
	repeated, empty := 0, 0
	for _, s := range sentences {
		switch c := content(s); {
		case len(c) == 0: // such as "It is unknown:"
			empty++
		case asks(s) && repetition(c, terms), quotes(s, c, questions, terms):
			repeated++
		default:
			kept = append(kept, s)
		}
	}
	if repeated == 0 {
		return report, 0
	}
	return strings.Join(kept, "\n"), float64(repeated) / float64(len(sentences)-empty)
}

// asks reports whether a sentence asks, or says that something is not known.
func asks(sentence string) bool {
	if strings.Contains(sentence, "?") {
		return true
	}
	for _, w := range text.Words(sentence) {
		if asking[w] || unknowing[text.Stem(w)] {
			return true
		}
	}
	return false
}

// quotes reports whether a sentence is a question in its own words, with little around it.
func quotes(sentence string, terms map[string]bool, questions []string, of []map[string]bool) bool {
	words := " " + strings.Join(text.Words(sentence), " ") + " "
	for i, q := range questions {
		asked := strings.Join(text.Words(q), " ")
		if len(of[i]) > 0 && strings.Contains(words, " "+asked+" ") && len(terms)-common(terms, of[i]) <= wrapping {
			return true
		}
	}
	return false
}

// repetition reports whether a sentence says no more than the questions that it holds.
func repetition(sentence map[string]bool, questions []map[string]bool) bool {
	held := map[string]bool{}
	for _, q := range questions {
		if len(q) > 0 && float64(common(q, sentence)) >= heldFrom*float64(len(q)) {
			for t := range q {
				held[t] = true
			}
		}
	}
	return len(held) > 0 && float64(common(sentence, held)) >= repeatedFrom*float64(len(sentence))
}

// content is the set of a text's content words, without those that say that something is
// not known.
func content(s string) map[string]bool {
	out := map[string]bool{}
	for _, t := range text.Terms(s) {
		if !unknowing[t] {
			out[t] = true
		}
	}
	return out
}

func common(a, b map[string]bool) int {
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return n
}
