package msrs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lore/datasets"
	"lore/local/files"
)

// domainOf tells the domain by the name of its folder; empty where it does not say.
func domainOf(folder string) string {
	if abs, err := filepath.Abs(folder); err == nil && !strings.HasPrefix(folder, "sample:") {
		folder = abs
	}
	base := strings.ToLower(filepath.Base(folder))
	if slices.Contains(Domains, base) {
		return base
	}
	return ""
}

// publishedDomain is the domain of a file of answers by its place, DOMAIN/SETTING/summary; empty where that does
// not say.
func publishedDomain(answers string) string {
	if settingOf(answers) == "" {
		return ""
	}
	return domainOf(filepath.Dir(filepath.Dir(filepath.Dir(answers))))
}

// chosenDomain is the domain of data: what the data says, and the user where it does not. A user who says another one
// is refused.
func chosenDomain(name, told, given string) (string, error) {
	switch {
	case told == "" && given == "":
		return "", &datasets.InputError{
			File:   name,
			Msg:    "does not say which domain it is",
			Remedy: domainRemedy(name),
		}
	case told != "" && given != "" && told != given:
		return "", &datasets.InputError{
			File:   name,
			Msg:    fmt.Sprintf("is of the domain %s, not of %s", told, given),
			Remedy: "leave --domain out, or name the folder for what it holds",
		}
	case given != "":
		return given, nil
	}
	return told, nil
}

// domainRemedy is what helps with every command, those that have no --domain included.
func domainRemedy(name string) string {
	return "give --domain story or --domain meeting to lore run; for all commands name the folder story or meeting, or import it: " +
		"lore data import msrs " + files.Quoted(name) + " --domain story --out story (or meeting)"
}

// doubts says what speaks against a domain that the user has given, of data that does not say its own: meetings have one
// reference answer each, and the released data is known by its size.
func (s *set) doubts(name, given string, queries []Query) []string {
	if given == "" {
		return nil
	}
	var out []string
	several := 0
	for _, q := range queries {
		if len(q.References) > 1 {
			several++
		}
	}
	if given == "meeting" && several > 0 {
		out = append(out, fmt.Sprintf("%s: %d of %d queries have several reference answers, as stories have; is it --domain story?",
			name, several, len(queries)))
	}

	for _, other := range Domains {
		if r := released[other]; other != given && len(s.corpus.Documents) == r.documents && len(queries) == r.queries[s.split] {
			out = append(out, fmt.Sprintf(
				"%s: has %d documents and %d queries, as the published data of the domain %s; is it --domain %[4]s?",
				name, r.documents, len(queries), other))
		}
	}
	return out
}

// checkDomain refuses published answers, outputs/DOMAIN/SETTING/summary/MODEL_summary.json, to the questions of
// another domain; an empty one is not known.
func checkDomain(answers, domain string) error {
	told := publishedDomain(answers)
	if told == "" || domain == "" || told == domain {
		return nil
	}
	return &datasets.InputError{
		File:   answers,
		Msg:    fmt.Sprintf("lies in a folder of the domain %s, and the queries are of the domain %s", told, domain),
		Remedy: "give the data that the answers were made from, the folder " + told,
	}
}
