package lexical

import (
	"regexp"
	"strings"

	"lore/local/text"
)

// denials match, by language, what says that the rest is not so. A language without one has
// the English.
var denials = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`(?i)\b(` +
		`(it is|it's|is|was|are|were) (simply |entirely |completely |totally |just |also )?` +
		`(false|untrue|not true|incorrect|not the case|` +
		`not correct|a lie|a myth|a hoax|a misconception|wrong that)|` +
		`contrary to|no evidence (that|of|for)|no truth|denie[sd] (that|the claim)|debunk(s|ed)|` +
		`(nobody|no one|hardly anyone|few) (\w+ )?(say|said|claim|believe|think|thought|` +
		`assume)s?d?( (the|any|a) (claim|idea|story|rumou?r))? that|` +
		`never said that|do(es)? not say|not known whether|unknown whether|` +
		`(wrongly|falsely|mistakenly) (claim|say|state|report|believe)(s|ed)?|` +
		`(wrongly|falsely|mistakenly|incorrectly|erroneously) (\w+) that)\b`),
	"de": regexp.MustCompile(`(?i)es (ist|sei|war|wäre) (\S+ )?(falsch|unwahr|nicht wahr|nicht richtig|gelogen|ein gerücht)|` +
		`(stimmt|trifft) nicht|(keiner|niemand|kaum jemand) (\S+ )?(sagt|glaubt|meint|behauptet|denkt)|` +
		`fälschlich|irrtümlich|entgegen der|kein(e|en)? (beleg|hinweis|beweis)e? (dafür|darauf)`),
	"fr": regexp.MustCompile(`(?i)(il est|c'est|c’est) faux|n'est pas vrai|n’est pas vrai|personne ne (dit|croit|pense|affirme)|` +
		`à tort|contrairement à|aucune preuve`),
	"es": regexp.MustCompile(`(?i)(es|era) falso que|no es (cierto|verdad)|nadie (dice|cree|piensa|afirma)|erróneamente|contrariamente a|` +
		`no hay (pruebas|evidencia)`),
	"it": regexp.MustCompile(`(?i)è falso che|non è vero|nessuno (dice|crede|pensa|afferma)|erroneamente|contrariamente a|nessuna prova`),
	"pt": regexp.MustCompile(`(?i)é falso que|não é verdade|ninguém (diz|acredita|pensa|afirma)|erroneamente|ao contrário d|não há provas`),
	"nl": regexp.MustCompile(`(?i)het is (niet waar|onwaar|onjuist|een leugen|een mythe)|niemand (zegt|gelooft|denkt|beweert)|` +
		`ten onrechte|in tegenstelling tot|geen bewijs`),
}

// denial is that of the language of the task.
func (s *scratch) denial() *regexp.Regexp {
	if r, ok := denials[s.stems.Language().Code]; ok {
		return r
	}
	return denials["en"]
}

// notsOf are the words that deny, as terms, by language. French says "ne" beside another one, so
// it does not count.
var notsOf = func() map[string]map[string]bool {
	out := map[string]map[string]bool{"en": setOf(`not never cannot cant dont doesnt didnt isnt arent wasnt werent wont
wouldnt shouldnt couldnt hasnt havent hadnt neither nor no none t`)}
	stems := text.NewStemmer()
	for code, words := range map[string]string{
		"de": "nicht nie niemals kein keine keinen keinem keiner keines weder",
		"fr": "pas jamais aucun aucune",
		"es": "no nunca jamás ningún ninguno ninguna tampoco",
		"it": "non mai nessun nessuno nessuna",
		"pt": "não nunca jamais nenhum nenhuma",
		"nl": "niet nooit geen",
	} {
		of, ok := text.Lookup(code)
		if !ok {
			panic("lexical: no language " + code) // compiled in, and tested
		}
		stems.Use(of)
		out[code] = map[string]bool{}
		for _, w := range strings.Fields(words) {
			stems.Tokens(w, func(t text.Token) { out[code][t.Term] = true })
		}
	}
	return out
}()

// nots are those of the language of the task.
func (s *scratch) nots() map[string]bool {
	if of, ok := notsOf[s.stems.Language().Code]; ok {
		return of
	}
	return notsOf["en"]
}
