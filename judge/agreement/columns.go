package agreement

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lore/local/files"
	"lore/local/text"
)

// columnNames are the names that a row knows.
var columnNames = []string{
	"kind", "group", "system", "about", "text", "statement", "label", "value", "unit", "annotators", "recorded",
}

// groupNames are columns to group by that lore reads, too.
var groupNames = []string{TextsColumn, LanguageColumn, "domain", "lang"}

// Columns of one person's ratings, or of one judge's verdicts, have the name behind these.
const (
	annotatorPrefix = "annotator:"
	recordedPrefix  = "recorded:"
)

// saysLabel reports whether a column may say what people think.
func saysLabel(name string) bool {
	return name == "label" || name == "value" || name == "annotators" || strings.HasPrefix(name, annotatorPrefix)
}

// numbered are names of columns that are one person's each, as sheets often have them.
var numbered = regexp.MustCompile(`(?i)^(?:annotators?|raters?|coders?|labels?|values?|ratings?)[ _.-]?(\d+)$`)

// checkNames refuses columns that are hardly to group by: a misspelt name, and ratings of one
// person each under a name of their own. Such a column would be left out without a word.
func checkNames(names []string) error {
	var absent []string
	for _, c := range columnNames {
		if !slices.Contains(names, c) {
			absent = append(absent, c)
		}
	}

	for _, n := range names {
		switch {
		case known(n):
			continue
		case numbered.MatchString(n):
			return &files.Error{
				Msg:    fmt.Sprintf("the column %q looks like the ratings of one person", n),
				Remedy: fmt.Sprintf("name it %s%s", annotatorPrefix, numbered.FindStringSubmatch(n)[1]),
			}
		}
		if near := nearestName(n, absent); near != "" {
			return &files.Error{
				Msg:    fmt.Sprintf("there is a column %q and no %q", n, near),
				Remedy: fmt.Sprintf("if you mean %s, rename it; to group by it, give it a name that is less alike", near),
			}
		}
	}
	return nil
}

// known reports whether a column has a meaning for lore.
func known(name string) bool {
	return name == "" || slices.Contains(columnNames, name) || slices.Contains(groupNames, name) ||
		strings.HasPrefix(name, annotatorPrefix) || strings.HasPrefix(name, recordedPrefix)
}

// nearestName is the name that a misspelt one means: few letters differ, or they stand in
// another order.
func nearestName(name string, among []string) string {
	if near := text.Nearest(name, among); near != "" {
		return near
	}
	letters := func(s string) string {
		r := []rune(strings.ToLower(s))
		slices.Sort(r)
		return string(r)
	}
	for _, a := range among {
		if letters(a) == letters(name) {
			return a
		}
	}
	return ""
}

// missing says which column is not there, and which one may be meant for it.
func missing(column string, have []string) error {
	var strange []string
	for _, h := range have {
		if !known(h) {
			strange = append(strange, h)
		}
	}
	slices.Sort(strange)
	if near := nearestName(column, strange); near != "" {
		return &files.Error{Msg: fmt.Sprintf("there is no column %q; did you mean it by %q?", column, near)}
	}

	also := ""
	if column == "label" {
		also = ", nor value or annotators"
	}
	return &files.Error{
		Msg: fmt.Sprintf("there is no column %q%s; the columns are %s, and any others to group by",
			column, also, strings.Join(columnNames, ", ")),
	}
}
