package models

import (
	"time"

	"lore/cmd/lore/internal/meter"
)

// lexicalAbout is what a question takes the lexical judge, on an ordinary machine. An encoder's time
// depends on its size too much to be told.
const lexicalAbout = 2 * time.Millisecond

// Foreseen is the part of a command in which a judge is asked, for whoever says how long that takes.
// spec is the judge as it was named: of A+B the last model of a server is the one that takes the time.
func Foreseen(name, spec string, questions int) meter.Part {
	p := meter.Part{Name: name, Steps: questions}
	encoders := 0
	for _, part := range SplitJudge(spec) {
		switch {
		case IsServed(part):
			p.Model = part
			p.Weight++
		case IsEncoder(part):
			encoders++
		}
	}
	if p.Model == "" && encoders == 0 {
		p.About = lexicalAbout
	}
	return p
}
