package meter

import (
	"fmt"
	"math"
	"time"
)

// near is how much more the upper end of a range may be than the lower one to be told as one time.
const near = 1.35

// String words how long the rest takes, as far as it is known; empty where it is not.
func (l Left) String() string {
	switch {
	case !l.Known:
		return ""
	case l.Least && l.Low < 10*time.Second:
		return ""
	case l.Least:
		return "at least " + Words(l.Low) + " left"
	case l.High < 10*time.Second:
		return "a few seconds left"
	case l.Low < time.Second, l.High > 20*l.Low:
		return "up to " + Words(l.High) + " left"
	case float64(l.High) <= near*float64(l.Low):
		return "about " + Words((l.Low+l.High)/2) + " left"
	}

	low, high := Words(l.Low), Words(l.High)
	if low == high {
		return "about " + low + " left"
	}
	if l.Low >= time.Hour && l.High >= time.Hour {
		low, high = hours(l.Low), hours(l.High)
		if low == high {
			return "about " + high + " h left"
		}
		return low + " to " + high + " h left"
	}
	return low + " to " + high + " left"
}

// Words is a time to about two figures: 40 s, 9 min, 2 h 10 min, 3 d 5 h.
func Words(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 57.5:
		return fmt.Sprintf("%d s", int(max(1, steps(s, 5))))
	case s < 57.5*60:
		return fmt.Sprintf("%d min", int(max(1, minutes(s/60))))
	case s < 47.5*3600:
		m := int(steps(s/60, 10))
		if m%60 == 0 {
			return fmt.Sprintf("%d h", m/60)
		}
		return fmt.Sprintf("%d h %d min", m/60, m%60)
	default:
		h := int(math.Round(s / 3600))
		if h%24 == 0 {
			return fmt.Sprintf("%d d", h/24)
		}
		return fmt.Sprintf("%d d %d h", h/24, h%24)
	}
}

// steps rounds to multiples, but small values to whole ones.
func steps(x, to float64) float64 {
	if x < 2*to {
		return math.Round(x)
	}
	return to * math.Round(x/to)
}

// minutes rounds to multiples of 5 above twenty.
func minutes(x float64) float64 {
	if x < 20 {
		return math.Round(x)
	}
	return 5 * math.Round(x/5)
}

// hours is a number of hours, by halves where there are few.
func hours(d time.Duration) string {
	h := d.Hours()
	if h < 10 {
		return fmt.Sprint(math.Round(2*h) / 2)
	}
	return fmt.Sprint(math.Round(h))
}
