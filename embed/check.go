package embed

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// ErrVectors marks vectors that would rank documents arbitrarily.
var ErrVectors = errors.New("unusable vectors")

// mostLength is the greatest length of a vector. Products of longer ones come near the end
// of float32, in which candidates are compared.
const mostLength = 1e15

// leastTexts is how many different texts show that a model gives all the same vector. Two
// may be alike to a model that does not know their words.
const leastTexts = 3

// trialTexts are embedded when a model is opened: they show whether it works at all.
var trialTexts = []string{"a", "The harbour was frozen in the winter of 1862.", "Why did taxes on bread fall by half?"}

// checker looks at vectors before anything is ranked by them.
type checker struct {
	model  string // for errors
	remedy string
	fault  error // what else is marked, where the model is served
	mu     sync.Mutex
	dims   int // of the first vector
}

// check refuses vectors of texts that cannot be ranked by. There is one vector per text.
func (c *checker) check(texts []string, vectors [][]float32) error {
	for i, v := range vectors {
		if why := c.odd(texts[i], v); why != "" {
			return c.refuse(why)
		}
	}
	if n := constant(texts, vectors); n > 0 {
		return c.refuse(fmt.Sprintf("gives the same vector for %d different texts", n))
	}
	return nil
}

func (c *checker) refuse(why string) error {
	return &ModelError{Dir: c.model, Msg: why, Remedy: c.remedy, Err: errors.Join(ErrVectors, c.fault)}
}

// odd says what is wrong with a vector; empty where nothing is. Only a blank text may have
// one of zeros.
func (c *checker) odd(text string, v []float32) string {
	sum := 0.0
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return "gives a vector with a value that is no number (NaN or infinite)"
		}
		sum += float64(x) * float64(x)
	}

	switch {
	case len(v) == 0:
		return "gives an empty vector"
	case sum == 0 && strings.TrimSpace(text) != "":
		return "gives a vector of zeros"
	case math.Sqrt(sum) > mostLength:
		return fmt.Sprintf("gives a vector of the length %.2g, whose products overflow", math.Sqrt(sum))
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dims == 0 {
		c.dims = len(v)
	}
	if len(v) != c.dims {
		return fmt.Sprintf("gives vectors of %d and of %d dimensions", c.dims, len(v))
	}
	return ""
}

// constant counts the different texts where all of several have one vector; else 0.
func constant(texts []string, vectors [][]float32) int {
	different := map[string]bool{}
	for i, v := range vectors {
		if !slices.Equal(v, vectors[0]) {
			return 0
		}
		different[strings.ToLower(strings.Join(strings.Fields(texts[i]), " "))] = true
	}
	if len(different) < leastTexts {
		return 0
	}
	return len(different)
}
