package agreement

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/judge"
)

// said is what people say of each row, in the file's order.
func said(l Labels) string {
	var out []string
	for _, it := range l.Items {
		for k, h := range it.Human {
			out = append(out, fmt.Sprintf("%s %s %s %g", it.System, it.Task.Questions[k].Kind, h.Label, h.Value))
		}
	}
	return strings.Join(out, "; ")
}

const (
	two     = "A coverage full 1; B coverage none 0"
	heading = "system,text,statement,label\n"
)

// Sheets as people and programs write them are read as what they mean.
func TestSheetsAreRead(t *testing.T) {
	for name, in := range map[string]struct{ text, want string }{
		"commas":          {heading + "A,one,x,full\nB,two,x,none\n", two},
		"semicolons":      {"system;text;statement;label\nA;one, all;x;full\nB;two;x;none\n", two},
		"tabs":            {"system\ttext\tstatement\tlabel\nA\tone\tx\tfull\nB\ttwo\tx\tnone\n", two},
		"mark and CRLF":   {"\xef\xbb\xbfsystem;text;statement;label\r\nA;one;x;full\r\nB;two;x;none\r\n", two},
		"sep=":            {"sep=;\r\nsystem;text;statement;label\r\nA;one;x;full\r\nB;two;x;none\r\n", two},
		"old Macs":        {"system,text,statement,label\rA,one,x,full\rB,two,x,none\r", two},
		"capitals":        {"System,Text,Statement,Label\nA,one,x,FULL\nB,two,x,None\n", two},
		"spaces":          {heading + " A ,one,x, full \nB,two,x,none\n", two},
		"trailing cells":  {"system,text,statement,label,,\nA,one,x,full,,\nB,two,x,none,,\n,,,,,\n", two},
		"percent":         {"system,text,statement,value\nA,one,x,100%\nB,two,x,0 %\n", two},
		"decimal commas":  {"system;text;statement;value\nA;one;x;1,0\nB;two;x;0,25\n", "A coverage full 1; B coverage none 0.25"},
		"grades as reals": {"kind,text,statement,label\nanswerability,one,x,3.0\n", " answerability 3 0.6"},
		"kind and yes":    {"kind,text,statement,label\nEntailment,one,x,Yes\n", " entailment yes 1"},
		"unit as a real":  {"text,statement,label,unit\none,x,full,1.0\n", " coverage full 1"},
	} {
		got, err := ReadCSV("f.csv", []byte(in.text))
		if err != nil || said(got) != in.want || got.Notes != nil {
			t.Errorf("%s: %s, %v, %v; want %s", name, said(got), got.Notes, err, in.want)
		}
	}
}

// What may mean several things is refused, with the line and what to do.
func TestSheetsAreRefused(t *testing.T) {
	for in, want := range map[string]string{
		heading + "A,one,x,TRUE\n":                                               "line 2: the label \"TRUE\" is not one of [none partial full]; write full for true and none for false",
		heading + "A,one,x,full\nB,two,x,Yes\n":                                  "line 3: the label \"Yes\" is not one of [none partial full]; write full and none, or the kind entailment",
		heading + "A,one,x,4\n":                                                  "a rating r from 1 to 5 as (r-1)/4",
		heading + "A,one,x,0.5\n":                                                "numbers from 0 to 1 belong in the column value",
		heading + "A,one,x,NA\n":                                                 "leave the cell empty where there is no label",
		heading + "A,one,x,full\nB,two,x,None\n":                                 "line 3: labels are spelt in small letters and as None",
		"text,statement,value\none,x,75\n":                                       "line 2: value \"75\" is not a number from 0 to 1; values go from 0 to 1: write 75 of 100 as 0.75 or 75%",
		"text,statement,value\none,x,nan\n":                                      "is not a number from 0 to 1",
		"text,statement,label,value\none,x,full,0\n":                             "line 2: the label full and the value 0 contradict each other",
		"text,statement,annotators\none,x,1;0\ntwo,x,4;5\n":                      "line 3: a rating of 5 is neither a value",
		"text,statement,lable\none,x,full\n":                                     `line 1: there is a column "lable" and no "label"; if you mean label, rename it`,
		"text,statement,colour\none,x,full\n":                                    `line 1: there is no column "label", nor value or annotators`,
		"text,statement,label,sytem\none,x,full,A\n":                             `line 1: there is a column "sytem" and no "system"`,
		"text,statement,annotator_1,rater 2\none,x,full,none\n":                  `"annotator_1" looks like the ratings of one person; name it annotator:1`,
		"text,statement,label\none,two,x,full\n":                                 "line 2: has 4 cells, and the heading 3; put a cell with commas",
		"text,statement,label\nsay \"hi\",x,full\n":                              "line 2: is not CSV",
		"text,statement,label,\none,x,full,more\n":                               `line 2: "more" stands in a column without a name`,
		"text,statement,label\none,x,\ntwo,x,\n":                                 "no labels: none of 2 rows has a label",
		"text,statement,label\n":                                                 "no labels: there is no row",
		"kind,text,statement,label\nentailmnt,one,x,yes\n":                       "did you mean entailment?",
		"kind,text,statement,annotators\nrelevance,one,x,2;5\nrelevance,b,x,6\n": "line 3: a rating of 6 is neither",
	} {
		_, err := ReadCSV("f.csv", []byte(in))
		if err == nil || !strings.HasPrefix(err.Error(), "f.csv: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", in, err, want)
		}
	}

	for in, want := range map[string]string{
		`{"text":"a","statement":"x","label":"full","label":"none"}`:     `f.jsonl: line 1: is no JSON object: "label" is there twice`,
		`{"text":"a","statement":"x","annotators":{"p":1,"p":0}}`:        `"p" is there twice`,
		`{"text":"a","statement":"x","label":true}`:                      "write full for true",
		`{"text":"a","statement":"x","value":true}`:                      "value true is not a number from 0 to 1",
		`{"statement":"x","label":"full"}`:                               `there is no column "text"`,
		"\n" + `{"text":"a","statement":"x","label":"full"}` + "\n[1]\n": "f.jsonl: line 3: is no JSON object",
		"":                                     "f.jsonl: no labels",
		`{"text":"a","statement":"x","label":`: "f.jsonl: line 1: ",
	} {
		if _, err := Read("f.jsonl", []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", in, err, want)
		}
	}
}

// What is left out, or may be meant otherwise, is said.
func TestNotesOnLabels(t *testing.T) {
	for in, want := range map[string]string{
		heading + "A,one,x,full\nB,two,x,\n":                                     "1 of 2 rows have no label, and are left out",
		heading + "A,one,x,full\nA,one,x,none\nA,one,y,none\n":                   "1 of 3 rows ask what an earlier row asks of the same text, 1 with another label",
		"text,statement,label,alice\none,x,full,none\ntwo,x,none,full\n":         "labels in columns to group by are not read: alice",
		"kind,text,statement,annotators\nanswerability,one,x,1;0\n":              "annotators of answerability hold nothing but 0 and 1",
		"kind,text,statement,label,recorded:m\nrelevance,one,x,5,1\n":            "recorded of relevance hold nothing but 0 and 1",
		"text,statement,label,annotator:a,annotator:b\none,x,full,full,\n,,,,\n": "",
	} {
		got, err := ReadCSV("f.csv", []byte(in))
		if notes := strings.Join(got.Notes, "\n"); err != nil || !strings.HasPrefix(notes, want) || (want == "") != (notes == "") {
			t.Errorf("%q: %q, %v; want %s", in, notes, err, want)
		}
	}
}

// Columns of one annotator each are what a list or an object of them is.
func TestAnnotatorColumns(t *testing.T) {
	var all []map[string]float64
	for _, in := range []string{
		"text,statement,annotator:ann,annotator:Fernando\none,x,full,partial\ntwo,x,,none\n",
		"text,statement,annotators\none,x,\"{'ann': 'full', 'Fernando': 0.5}\"\ntwo,x,\"{'ann': None, 'Fernando': nan}\"\n",
	} {
		got, err := ReadCSV("f.csv", []byte(in))
		if err != nil || got.Items[0].Human[0].Value != 0.75 {
			t.Fatalf("%+v %v", got, err)
		}
		all = append(all, got.Items[0].Ratings[0])
	}
	want := map[string]float64{"ann": 1, "Fernando": 0.5}
	if d := cmp.Diff([]map[string]float64{want, want}, all); d != "" {
		t.Error(d)
	}
}

// A line may be longer than any buffer.
func TestHugeLines(t *testing.T) {
	long := strings.Repeat("word ", 4<<20)
	got, err := ReadJSONL("f", []byte(`{"text":"`+long+`","statement":"x","label":"full"}`))
	if err != nil || len(got.Items[0].Task.Units[0]) != len(long)-1 || got.Items[0].Human[0].Label != judge.Full {
		t.Errorf("%d items, %v", len(got.Items), err)
	}
}

func TestAsJSON(t *testing.T) {
	for in, want := range map[string]string{
		`['a', None, nan, True]`:         `["a", null, null, true]`,
		`{'O\'Neil': 1, "it's": 'None'}`: `{"O'Neil": 1, "it's": "None"}`,
		`{'say "x"': 1e-3}`:              `{"say \"x\"": 1e-3}`,
	} {
		if got := string(asJSON([]byte(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}
