package accept

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"testing"
)

// The schema of JUnit's XML, as CI servers read it, is testdata/junit.xsd, which is written for
// this test: elements in sequences and choices, with how often each may be there, and attributes.
// schema reads as much of XML Schema as it takes.
type (
	schema struct {
		Elements []schemaElement `xml:"element"`
	}
	schemaElement struct {
		Name    string         `xml:"name,attr"`
		Ref     string         `xml:"ref,attr"`
		Min     string         `xml:"minOccurs,attr"`
		Max     string         `xml:"maxOccurs,attr"`
		Type    string         `xml:"type,attr"`
		Complex *schemaComplex `xml:"complexType"`
	}
	schemaComplex struct {
		Mixed      bool              `xml:"mixed,attr"`
		Sequence   []schemaElement   `xml:"sequence>element"`
		Attributes []schemaAttribute `xml:"attribute"`
	}
	schemaAttribute struct {
		Name string `xml:"name,attr"`
		Type string `xml:"type,attr"`
		Use  string `xml:"use,attr"`
	}
)

// node is an element as it stands in a document.
type node struct {
	name     string
	attrs    map[string]string
	children []*node
	text     string
}

// validate lists what a document does that the schema does not allow.
func validate(t *testing.T, doc []byte) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/junit.xsd")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := xml.Unmarshal(data, &s); err != nil || len(s.Elements) < 8 {
		t.Fatalf("the schema has %d elements: %v", len(s.Elements), err)
	}
	known := map[string]schemaElement{}
	for _, e := range s.Elements {
		known[e.Name] = e
	}
	root, err := tree(doc)
	if err != nil {
		return []string{err.Error()}
	}
	if root.name != "testsuites" {
		return []string{"the root is " + root.name}
	}
	return root.check(known)
}

// tree reads a document with a real parser, which refuses what is not well-formed.
func tree(doc []byte) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	top := &node{}
	open := []*node{top}
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && len(top.children) == 1:
			return top.children[0], nil
		case err != nil:
			return nil, err
		}
		at := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			n := &node{name: x.Name.Local, attrs: map[string]string{}}
			for _, a := range x.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			at.children = append(at.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			at.text += string(bytes.TrimSpace(x))
		}
	}
}

var number = regexp.MustCompile(`^[0-9]+$`)

// check compares an element and those below with the schema.
func (n *node) check(known map[string]schemaElement) []string {
	e, ok := known[n.name]
	if !ok {
		return []string{n.name + " is unknown"}
	}
	var out []string
	problem := func(format string, args ...any) { out = append(out, n.name+": "+fmt.Sprintf(format, args...)) }
	if e.Complex == nil { // a text
		if len(n.children)+len(n.attrs) > 0 {
			problem("holds more than a text")
		}
		return out
	}

	for name := range n.attrs {
		if !slices.ContainsFunc(e.Complex.Attributes, func(a schemaAttribute) bool { return a.Name == name }) {
			problem("has no attribute %s", name)
		}
	}
	for _, a := range e.Complex.Attributes {
		v, given := n.attrs[a.Name]
		switch {
		case !given && a.Use == "required":
			problem("lacks %s", a.Name)
		case given && a.Type == "xs:nonNegativeInteger" && !number.MatchString(v):
			problem("%s is %q", a.Name, v)
		}
	}
	if n.text != "" && !e.Complex.Mixed {
		problem("holds text")
	}

	at := 0
	for _, part := range e.Complex.Sequence {
		count := 0
		for at < len(n.children) && n.children[at].name == part.Ref {
			count, at = count+1, at+1
		}
		if part.Min != "0" && count == 0 || part.Max != "unbounded" && count > 1 {
			problem("has %s %d times", part.Ref, count)
		}
	}
	if at < len(n.children) {
		problem("%s stands where it may not", n.children[at].name)
	}
	for _, c := range n.children {
		out = append(out, c.check(known)...)
	}
	return out
}

// The check finds what the schema does not allow.
func TestSchemaBites(t *testing.T) {
	const suite = `<testsuites name="a" tests="0" failures="0" errors="0"><testsuite name="b" tests="0" failures="0" errors="0" skipped="0">%s</testsuite></testsuites>`
	for inner, fine := range map[string]bool{
		``: true,
		`<testcase name="c" classname="d"><failure message="m" type="t">x</failure></testcase>`: true,
		`<testcase name="c"></testcase>`:                                   false,
		`<testcase name="c" classname="d" colour="red"></testcase>`:        false,
		`<testcase name="c" classname="d"><failure/><failure/></testcase>`: false,
		`<testcase name="c" classname="d"><failure/><skipped/></testcase>`: false,
		`<testcase name="c" classname="d">text</testcase>`:                 false,
		`<testcase name="c" classname="d" time="soon"></testcase>`:         false,
		`<case/>`: false,
		`<testcase name="c" classname="d"></testcase><properties></properties>`: false,
	} {
		if got := validate(t, fmt.Appendf(nil, suite, inner)); (len(got) == 0) != fine {
			t.Errorf("%s: %v", inner, got)
		}
	}
	if len(validate(t, []byte("<testsuites"))) == 0 {
		t.Error("half an element is fine")
	}
}

// resealed puts a right seal behind all but the last line.
func resealed(data []byte) []byte {
	var lines [][]byte
	for l := range bytes.Lines(data) {
		if l = bytes.TrimSpace(l); len(l) > 0 {
			lines = append(lines, l)
		}
	}
	if len(lines) < 2 {
		return data
	}
	body := append(bytes.Join(lines[:len(lines)-1], []byte("\n")), '\n')
	sum := sha256.Sum256(body)
	return fmt.Appendf(body, "{\"sha256\":%q}\n", hex.EncodeToString(sum[:]))
}
