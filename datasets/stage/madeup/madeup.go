// Package madeup makes up statements, for the models of builds that fall short: each holds a number that
// no other one holds, and is known by it in whatever words it stands.
package madeup

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	firstSyllables = strings.Fields("Ard Bel Cor Dun Eld Far Gal Har Inver Kil Lang Mor Nor Ost")
	lastSyllables  = strings.Fields("mel wick stow ford leigh mouth combe holm gate ness")

	payers = strings.Fields("council harbourmaster brewery parish railway college guild orchestra abbey mill " +
		"museum hospital")
	works = strings.Fields("gates roof organ bridge lanterns library vault cranes orchard lighthouse windows " +
		"stables fountain archive terrace chimney greenhouse boats theatre kitchen tower barracks pier gallery " +
		"cistern mosaic")
)

// Place is the name of the nth town, of 140.
func Place(n int) string {
	return firstSyllables[n%len(firstSyllables)] + lastSyllables[n/len(firstSyllables)%len(lastSyllables)]
}

// Work is what statement n is about.
func Work(n int) string { return works[n%len(works)] }

// wordings is how many ways there are to word a statement.
const wordings = 3

// Statement is the nth on a place, in one of its wordings.
func Statement(place string, n, wording int) string {
	payer, work := payers[n/len(works)%len(payers)], Work(n)
	switch wording % wordings {
	case 0:
		return fmt.Sprintf("In %s the %s spent %d crowns on the %s.", place, payer, Number(n), work)
	case 1:
		return fmt.Sprintf("For the %s of %s, %d crowns were paid by the %s.", work, place, Number(n), payer)
	default:
		return fmt.Sprintf("The %s had the %s in %s restored for %d crowns.", payer, work, place, Number(n))
	}
}

// Vaguely is what comes near the nth statement, without its number.
func Vaguely(place string, n int) string {
	return fmt.Sprintf("In %s somebody spent money on the %s.", place, Work(n))
}

// Number is the one that statement n holds, of five digits.
func Number(n int) int { return 10_000 + n }

var fiveDigits = regexp.MustCompile(`\b1\d{4}\b`)

// Stated lists the statements that a text makes, by their n, each as often as it does.
func Stated(text string) []int {
	var out []int
	for _, s := range fiveDigits.FindAllString(text, -1) {
		n, err := strconv.Atoi(s)
		if err == nil {
			out = append(out, n-Number(0))
		}
	}
	return out
}

// Scene is a sentence that states nothing.
func Scene(place string, n int) string {
	return fmt.Sprintf("People in %s like to talk of the %s while the evening comes and the streets grow quiet.", place, Work(n))
}
