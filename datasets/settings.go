package datasets

import (
	"fmt"
	"strconv"
	"strings"
)

// Positive reads the value of a setting that is a positive number; 0 where it is not given.
func Positive(flag, value string) (int, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--%s is a positive number, not %q", flag, value)
	}
	return n, nil
}

// List reads a list with a separator, without its empty parts.
func List(text, separator string) []string {
	var out []string
	for part := range strings.SplitSeq(text, separator) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
