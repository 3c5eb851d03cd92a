package build

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore/datasets/crux"
	"lore/datasets/stage"
	"lore/local/schema"
	"lore/local/text"
	"lore/local/tokens"
)

// Settings of passages that are the paper's (section 3.1), and what is taken of them.
const (
	chunkTokens  = 1024 // longer documents are split first
	passageWords = 200
	mostPassages = 3  // of a part
	leastPassage = 60 // words of a passage that is taken
	mostPassage  = 400
)

// chunk is a part of a document that is rewritten at once.
type chunk struct {
	pairs    []int // that name its document, in their order
	document string
	part     int // its number; 0 where the document is whole
	text     string
}

// name is that of the document, and the part's where there are several.
func (c chunk) name() string {
	if c.part == 0 {
		return c.document
	}
	return fmt.Sprintf("%s, part %d", c.document, c.part)
}

// passages are those of all pairs.
type passages struct {
	list  []crux.Passage
	pairs [][]int // of each, those whose documents it is from
}

// of counts the passages of a pair.
func (p passages) of(pair int) int {
	n := 0
	for _, of := range p.pairs {
		if slices.Contains(of, pair) {
			n++
		}
	}
	return n
}

// place is where a passage stands.
func (p passages) place(id string) (int, bool) {
	i := slices.IndexFunc(p.list, func(one crux.Passage) bool { return one.ID == id })
	return i, i >= 0
}

// split cuts the documents of all pairs into parts. A document of several pairs is there once: two passages that
// say the same, each graded for one pair alone, would make either wrong where the other is found.
func (b *Builder) split(pairs []Pair, documents map[string]string) []chunk {
	of := map[string][]int{}
	var order []string
	for i, p := range pairs {
		for _, id := range p.Documents {
			if len(of[id]) == 0 {
				order = append(order, id)
			}
			if !slices.Contains(of[id], i) {
				of[id] = append(of[id], i)
			}
		}
	}

	var chunks []chunk
	for _, id := range order {
		parts := tokens.Windows(documents[id], chunkTokens, 0)
		for n, text := range parts {
			one := chunk{pairs: of[id], document: id, text: text}
			if len(parts) > 1 {
				one.part = n + 1
			}
			chunks = append(chunks, one)
		}
		if len(parts) > 1 {
			b.Note("split", id, 0, "%d parts of at most %d tokens", len(parts), chunkTokens)
		}
		if len(of[id]) > 1 {
			b.Note("split", id, 0, "is a document of %d pairs: its passages are graded for each", len(of[id]))
		}
	}
	return chunks
}

type passagesReply struct {
	Passages []string `json:"passages"`
}

// passages rewrites every part of a document as two or three passages.
func (b *Builder) passages(ctx context.Context, pairs []Pair, chunks []chunk) (passages, error) {
	subject := func(i int) string { return chunks[i].name() }
	last := map[int]passagesReply{} // of each part, whether it passed or not
	told := map[int]bool{}          // of each part, that its passages differ from it in numbers

	// The schema has room for one too many, which is then refused with a reason.
	list := schema.Array(schema.String()).AtLeast(1).AtMost(mostPassages + 1)
	got, failed, err := stage.Ask(ctx, b.Session, stage.Question[passagesReply]{
		Stage:      "passages",
		Prompt:     "crux/passages.txt",
		NumPredict: 1500,
		Subject:    subject,
		Schema:     schema.Object(schema.Field("passages", list)).JSON(),
		Data: func(i int, problem string) any {
			return map[string]any{
				"Text": chunks[i].text, "Least": chunks[i].least(), "Most": mostPassages, "Words": passageWords,
				"Problem": problem,
			}
		},
		Check: func(i int, r passagesReply) string {
			last[i] = r
			problem := checkPassages(r.Passages, chunks[i].least(), chunks[i].words())
			if problem == "" && !told[i] {
				problem = checkFigures(r.Passages, chunks[i].text)
				told[i] = true
			}
			return problem
		},
	}, stage.Places(len(chunks)))
	if err != nil {
		return passages{}, err
	}

	var out passages
	named := map[int]int{} // passages by the pair that they are named for: the first with their document
	for i, c := range chunks {
		list := got[i].Passages
		if problem, bad := failed[i]; bad {
			if list = b.fitting(subject(i), last[i].Passages, c.words()); len(list) == 0 {
				b.Drop(subject(i), "no passages: %s", problem)
				continue
			}
		}
		for _, p := range list {
			first := c.pairs[0]
			named[first]++
			id := fmt.Sprintf("%s-%d", pairs[first].ID, named[first])
			out.list = append(out.list, crux.Passage{ID: id, Text: strings.TrimSpace(p)})
			out.pairs = append(out.pairs, c.pairs)
		}
	}
	return out, nil
}

// words counts those of a part.
func (c chunk) words() int { return len(strings.Fields(c.text)) }

// least is how many passages a part must make: a short one makes one.
func (c chunk) least() int {
	if c.words() < 3*passageWords/2 {
		return 1
	}
	return 2
}

// checkPassages says what is wrong with the passages of a part of so many words.
func checkPassages(passages []string, least, words int) string {
	if n := len(passages); n < least || n > mostPassages {
		return fmt.Sprintf("%d passages where %d to %d were asked for", n, least, mostPassages)
	}
	for i, p := range passages {
		if n := len(strings.Fields(p)); !fits(n, words) {
			return fmt.Sprintf("passage %d has %d words, not about %d", i+1, n, passageWords)
		}
	}
	return ""
}

// fits reports whether a passage of n words can be taken of a part of so many words. A part that
// is short itself cannot make passages of the usual length.
func fits(n, words int) bool {
	return n >= shortest(words) && n <= mostPassage
}

// shortest is the fewest words of a passage of such a part.
func shortest(words int) int { return max(1, min(leastPassage, words/3)) }

// mostLost is the share of a part's numbers that its passages may leave out without being asked for again.
const mostLost = 0.1

// checkFigures says which numbers the passages of a part leave out or add. It is asked once: a model that
// cannot do better has its passages taken as they are.
func checkFigures(passages []string, part string) string {
	all := strings.Join(passages, " ")
	lost, added := stage.LostFigures(part, all), stage.LostFigures(all, part)
	switch {
	case len(added) > 0:
		return "the document does not have the numbers " + stage.SomeFigures(added)
	case float64(len(lost)) > mostLost*float64(len(stage.Figures(part))):
		return "what the document says with these numbers is left out: " + stage.SomeFigures(lost)
	}
	return ""
}

// fitting are the passages of a reply that was refused to the end which can be taken. One that is too long
// is parted at sentences. Those that are too short are left out and counted, so that one of them does not
// cost the whole part. Where none can be taken the part is dropped.
func (b *Builder) fitting(subject string, passages []string, words int) []string {
	var out, short []string
	for _, p := range passages {
		n := len(strings.Fields(p))
		switch {
		case fits(n, words):
			out = append(out, p)
		case n > mostPassage:
			parts := parted(p)
			b.Note("passages", subject, 0, "a passage of %d words, not of %d at most, is parted into %d", n, mostPassage, len(parts))
			out = append(out, parts...)
		default:
			short = append(short, p)
		}
	}
	if len(out) == 0 {
		return nil
	}

	for _, p := range short {
		b.LeftOut++
		b.Note("passages", subject, 0, "left out: a passage of %d words, not of %d to %d: %q",
			len(strings.Fields(p)), shortest(words), mostPassage, p)
	}
	return out
}

// parted cuts a passage at sentences into parts of about passageWords, the last of which may be as long
// as one and a half. A sentence that is longer is a part by itself.
func parted(passage string) []string {
	var out []string
	var now []string
	words := 0
	for _, s := range text.Sentences(passage) {
		if now, words = append(now, s), words+len(strings.Fields(s)); words >= passageWords {
			out, now, words = append(out, strings.Join(now, " ")), nil, 0
		}
	}
	switch rest := strings.Join(now, " "); {
	case rest == "":
	case len(out) > 0 && words < passageWords/2:
		out[len(out)-1] += " " + rest
	default:
		out = append(out, rest)
	}
	return out
}
