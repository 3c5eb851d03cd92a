package stage

import (
	"regexp"
	"slices"
	"strings"
)

var figures = regexp.MustCompile(`\d(?:[\d.,]*\d)?`)

// Figures are the numbers of a text as they are written, each once, without the signs that part thousands.
func Figures(s string) []string {
	var out []string
	for _, f := range figures.FindAllString(s, -1) {
		if f = strings.ReplaceAll(f, ",", ""); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// mostNamed is how many numbers a model is told of.
const mostNamed = 10

// SomeFigures names the first of some numbers.
func SomeFigures(list []string) string { return strings.Join(list[:min(len(list), mostNamed)], ", ") }

// LostFigures are the numbers of a text that another one, which is to say the same, does not have.
func LostFigures(from, in string) []string {
	have := Figures(in)
	return slices.DeleteFunc(Figures(from), func(f string) bool { return slices.Contains(have, f) })
}
