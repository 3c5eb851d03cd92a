package build

import (
	"errors"
	"fmt"
)

// LeastInsights of a subtopic, or it cannot be expanded (section 3.1).
const LeastInsights = 3

// wordsPerInsight is the least room that an insight has in a document.
const wordsPerInsight = 12

// Sizes of a haystack.
type Sizes struct {
	Subtopics int // about 10 in the paper
	Insights  int // of a subtopic
	Documents int
	Words     int // of a document
	Repeat    int // documents that each insight is planned for
}

// Check refuses sizes that make no haystack.
func (s Sizes) Check() error {
	switch {
	case s.Subtopics < 2:
		return errors.New("a haystack needs at least 2 subtopics")
	case s.Insights < LeastInsights:
		return fmt.Errorf("a subtopic needs at least %d insights", LeastInsights)
	case s.Documents < 2 || s.Repeat < 1 || s.Repeat > s.Documents:
		return errors.New("a haystack needs at least 2 documents, and an insight from 1 to as many as there are")
	case s.Words < 30:
		return errors.New("a document needs at least 30 words")
	case s.perDocument() > s.Words/wordsPerInsight:
		return fmt.Errorf("%d insights do not fit into a document of %d words: "+
			"give more documents, longer ones, or each insight to fewer", s.perDocument(), s.Words)
	}
	return nil
}

// perDocument is the most insights that a document is planned to hold.
func (s Sizes) perDocument() int {
	return (s.Subtopics*s.Insights*s.Repeat + s.Documents - 1) / s.Documents
}
