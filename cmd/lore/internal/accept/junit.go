package accept

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"lore/cmd/lore/internal/usage"
)

// The elements of JUnit's XML that CI servers read, in the order of its schema: a suite, with a
// test case for each rule.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		Skipped *junitSaid   `xml:"skipped"`
		Failure *junitFailed `xml:"failure"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitSaid struct {
		Message string `xml:"message,attr"`
	}
	junitFailed struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints a report as JUnit's XML. A rule that is broken is a failure; one that cannot be told is
// one, too, or is skipped where that lets the pipeline go on.
func JUnit(w io.Writer, r Report) error {
	suite := junitSuite{
		Name:  usage.Line(r.Benchmark + ": " + r.System + ", " + r.Judge),
		Tests: len(r.Findings),
		Properties: []junitProperty{
			{"run", usage.Line(r.Run)},
			{"baseline", usage.Line(r.Baseline)},
			{"outcome", string(r.Outcome)},
			{"items_shared", fmt.Sprint(r.Shared)},
		},
	}
	for _, text := range r.Warnings {
		suite.Properties = append(suite.Properties, junitProperty{"warning", usage.Line(text)})
	}
	for _, f := range r.Findings {
		c := f.junit("lore.gate."+r.Benchmark, r.Lenient)
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}

	all := junitSuites{Name: "lore gate", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}
	data, err := xml.MarshalIndent(all, "", " ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	}
	if err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	return nil
}

// junit is a rule as a test case.
func (f Finding) junit(class string, lenient bool) junitCase {
	why := usage.Line(f.Why)
	c := junitCase{Name: usage.Line(f.Rule), Class: class}
	switch {
	case f.Outcome == Pass:
		c.Out = why
	case f.Outcome == CannotTell && lenient:
		c.Skipped = &junitSaid{"cannot tell: " + why}
	default:
		var falls []string
		for _, fall := range f.Falls {
			falls = append(falls, usage.Line(fall.words(f.Asks)))
		}
		c.Failure = &junitFailed{why, string(f.Outcome), strings.Join(falls, "\n")}
	}
	return c
}
