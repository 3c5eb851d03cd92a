package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"lore/local/files"
)

// mostTold is how many mistakes are told at once.
const mostTold = 20

// Mistakes are the errors about one study file as one: in the order of its lines, each once. nil where
// there are none.
func Mistakes(errs []error) error {
	var told []error
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(told, func(o error) bool { return same(o, err) }) {
			told = append(told, err)
		}
	}
	slices.SortStableFunc(told, func(a, b error) int { return LineOf(a) - LineOf(b) })
	if more := len(told) - mostTold; more > 0 {
		told = append(told[:mostTold], fmt.Errorf("and %d more like these", more))
	}

	if len(told) == 1 {
		return told[0]
	}
	return errors.Join(told...)
}

// same reports whether two errors say the same of one line, also of several runs that it holds for.
func same(a, b error) bool {
	x, first := errors.AsType[*files.Error](a)
	y, second := errors.AsType[*files.Error](b)
	if first && second && x.Place == y.Place && x.Err != nil && y.Err != nil {
		return x.Err.Error() == y.Err.Error()
	}
	return a.Error() == b.Error()
}

// Each are the errors that Mistakes has put together.
func Each(err error) []error {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()
	}
	return []error{err}
}

// LineOf is the line that an error names. Those without one come last: theirs is beyond all files.
func LineOf(err error) int {
	line := 0
	if placed, ok := errors.AsType[*files.Error](err); ok {
		if _, err := fmt.Sscanf(placed.Place, "line %d", &line); err == nil {
			return line
		}
	}
	return math.MaxInt32
}
