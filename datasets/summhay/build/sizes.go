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
	Subtopics int
	Insights  int // of a subtopic
	Documents int
	Words     int // of a document
	Repeat    int // documents that each insight is planned for
}

// Published are about the sizes of the paper's haystacks: on average 9.2 subtopics of 6.75
// insights, and 100 documents of 750 words (section 3). In its two published haystacks of
// news that lore was compared with, a document has 6 to 7 insights, and an insight 9 to 11
// documents.
var Published = Sizes{Subtopics: 9, Insights: 7, Documents: 100, Words: 750, Repeat: 10}

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
	case s.Subtopics*s.Insights*s.Repeat < s.Documents:
		insights := s.Subtopics * s.Insights
		return fmt.Errorf("%d insights in %d documents each leave some of %d documents without any: give at most %d documents, "+
			"or each insight to at least %d", insights, s.Repeat, s.Documents, insights*s.Repeat,
			(s.Documents+insights-1)/insights)
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
