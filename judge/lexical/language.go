package lexical

import (
	"fmt"
	"slices"
	"strings"

	"lore/judge"
	"lore/local/text"
)

// Flags of verdicts that say what the judge lacks in a language. On questions in Chinese and
// Japanese agreement with people was no better than chance (NoMIRACL, docs/judges.md).
const (
	// LanguageFlag begins the flag of a text in a language whose function words and stems are
	// not known; a colon and its name follow, where it is told.
	LanguageFlag = "language not supported: words count only as written"

	// StemsFlag is followed by the name of a language whose function words alone are known.
	StemsFlag = "no stems in this language: "

	// OtherFlag is followed by the languages of a text and of what is asked of it.
	OtherFlag = "the text is in another language than the question: "
)

// IsLanguageFlag tells whether a flag is one of these.
func IsLanguageFlag(flag string) bool {
	return strings.HasPrefix(flag, LanguageFlag) || strings.HasPrefix(flag, StemsFlag) || strings.HasPrefix(flag, OtherFlag)
}

// Problems counts the texts whose verdicts have such a flag, by the flag.
func Problems(verdicts [][]judge.Verdict) map[string]int {
	out := map[string]int{}
	for _, of := range verdicts {
		for _, v := range of {
			if i := slices.IndexFunc(v.Flags, IsLanguageFlag); i >= 0 {
				out[v.Flags[i]]++
				break
			}
		}
	}
	return out
}

// languages tells the language of each task: of what is asked, so that it is the same for all
// answers, and only where that says too little of the text.
func (j Judge) languages(tasks []judge.Task) []*text.Language {
	out := make([]*text.Language, len(tasks))
	fixed, ok := text.Lookup(j.Language)
	for i, t := range tasks {
		if out[i] = fixed; !ok {
			out[i] = text.Of(text.Auto, asked(t), beginning(t.Units))
		}
		if out[i] == text.Unknown {
			out[i] = text.English // its rules are as good as any
		}
	}
	return out
}

// sampled is how many bytes of a text its language is told from.
const sampled = 2000

// asked are the questions of a task, as far as they are looked at.
func asked(t judge.Task) string {
	var b strings.Builder
	for _, q := range t.Questions {
		if b.Len() > sampled/2 {
			break
		}
		b.WriteString(q.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// beginning joins the first units of a text.
func beginning(units []string) string {
	n, size := 0, 0
	for n < len(units) && size <= sampled {
		size += len(units[n])
		n++
	}
	return strings.Join(units[:n], "\n")
}

// count counts the words of all statements, each in its language.
func (s *scratch) count(tasks []judge.Task, languages []*text.Language) *statistics {
	all := distinct(languages)
	if len(all) == 1 {
		s.stems.Use(all[0])
		return count(s.stems, tasks)
	}

	sum := count(s.stems, nil)
	for _, l := range all {
		var own []judge.Task
		for i, t := range tasks {
			if languages[i] == l {
				own = append(own, t)
			}
		}

		s.stems.Use(l)
		part := count(s.stems, own)
		sum.n += part.n
		for term, n := range part.df {
			sum.df[term] += n
		}
	}
	return sum
}

func distinct(languages []*text.Language) []*text.Language {
	var out []*text.Language
	for _, l := range languages {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// problem says what the judge lacks for a task; empty for nothing.
func (j Judge) problem(t judge.Task, l *text.Language) string {
	if _, fixed := text.Lookup(j.Language); !fixed {
		switch of, sure := text.Tell(beginning(t.Units)); {
		case of == text.Unknown:
			return LanguageFlag
		case sure && text.Apart(of, l):
			return fmt.Sprintf("%s%s and %s", OtherFlag, of, l)
		}
	}

	switch l.Support {
	case text.AsWritten:
		return LanguageFlag + ": " + l.Name
	case text.FunctionWords:
		return StemsFlag + l.Name
	}
	return ""
}

func flag(verdicts []judge.Verdict, problem string) {
	for i := range verdicts {
		verdicts[i].Flags = append(verdicts[i].Flags, problem)
	}
}
