package local

import (
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads the HTTP header of that name: seconds, or a date. 0 where it says nothing.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if n, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(n, 0), 1<<20)) * time.Second
	}
	for _, form := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if at, err := time.Parse(form, value); err == nil {
			return max(0, at.Sub(now))
		}
	}
	return 0
}
