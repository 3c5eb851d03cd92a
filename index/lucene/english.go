// Package lucene cuts English texts into terms as Lucene's EnglishAnalyzer does, which is the analyser of Anserini and Pyserini where
// none is named, and keeps lengths of documents as Lucene does.
//
// Source: Apache Lucene, StandardTokenizerImpl.jflex, EnglishPossessiveFilter, EnglishAnalyzer, SmallFloat and
// BM25Similarity; Anserini, DefaultEnglishAnalyzer. The classes of code points are those of Unicode 9, as Lucene 8 to 10
// have them, and of emoji those of Unicode 11.
package lucene

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
)

// stopWords are the 33 function words that Lucene leaves out of English texts.
var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be but by for if in into is it no not of on or such " +
		"that the their then there these they this to was will with") {
		out[w] = true
	}
	return out
}()

// English are the terms of an English text: its words without 's at their end, in small letters, without the 33 function
// words, stemmed by Porter.
func English(text string) []string {
	words := Words(text)
	out := words[:0]
	for _, w := range words {
		w = strings.Map(lower, withoutPossessive(w))
		if !stopWords[w] {
			out = append(out, stem(w))
		}
	}
	return out
}

// lower is the small letter of one code point, as Java has it.
func lower(c rune) rune { return unicode.ToLower(c) }

// withoutPossessive leaves 's out at the end, with any of three apostrophes.
func withoutPossessive(word string) string {
	if n := len(word); n < 3 || word[n-1] != 's' && word[n-1] != 'S' {
		return word
	}
	before := word[:len(word)-1]
	switch c, size := utf8.DecodeLastRuneInString(before); c {
	case '\'', '’', '＇':
		return before[:len(before)-size]
	}
	return word
}

// wholeSuffix are words that consist of an ending alone. Lucene takes the ending off, or leaves the word; the library does otherwise.
var wholeSuffix = map[string]string{"ies": "i", "sses": "ss", "eed": "eed", "eeds": "eed"}

func stem(word string) string {
	if s, ok := wholeSuffix[word]; ok {
		return s
	}
	return string(porterstemmer.StemWithoutLowerCasing([]rune(word)))
}
