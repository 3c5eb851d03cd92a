package build

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"lore/datasets/long2rag"
)

// Sheets deal every point out once, and the shared ones to all; filled in, they come
// back as they were meant.
func TestSheetsAndBack(t *testing.T) {
	sample, err := os.ReadFile("../sample/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	questions, err := long2rag.ReadQuestions("sample", sample)
	if err != nil {
		t.Fatal(err)
	}
	sheets, err := Sheets(questions, 2, 0.3, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Sheets(questions, 2, 0.3, 1, false)
	if !bytes.Equal(sheets[0], again[0]) {
		t.Error("the same seed gives other sheets")
	}
	times := map[string]int{}
	var filled [][]HumanVerdict
	for n, s := range sheets {
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(s, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows[1:] {
			times[r[0]]++
			if !strings.Contains(r[3], ">>") {
				t.Errorf("no evidence: %q", r)
			}
			r[4], r[5] = "TRUE", "Agree"
			if i == 0 {
				r[4], r[5] = "NO", "" // each finds one point that is not in the text
			}
			rows[i+1] = r
		}
		rows[2][4] = "" // and leaves one open
		var buf bytes.Buffer
		if err := csv.NewWriter(&buf).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		verdicts, open, err := ReadSheet("sheet", buf.Bytes(), questions)
		if err != nil || open != 1 || len(verdicts) != len(rows)-2 || verdicts[0].Found {
			t.Fatalf("sheet %d: %v, %d open, %d verdicts", n, err, open, len(verdicts))
		}
		filled = append(filled, verdicts)
	}
	if len(times) != 61 {
		t.Errorf("%d of 61 points are dealt out", len(times))
	}
	v := Verify(questions, filled)
	if v.Points != 61 || v.Judged > 61 || v.Judged < 59 || v.Found > v.Judged || v.Agree != v.Found || v.Shared < 5 ||
		math.IsNaN(v.KappaFound) {
		t.Errorf("%+v", v)
	}
}

// Two raters and four points, by hand. Found: (2,0) (1,1) (2,0) (0,2): observed
// (1+0+1+1)/4 = 3/4, κ = (3/4−1/2)/(1/2) = 1/2. Key over the two points that both
// found: (2,0,0) and (1,1,0): observed 1/2, κ = (1/2−1/3)/(2/3) = 1/4. The second
// point has one yes of two, the third one agree of two, the fourth was not found: the
// first is kept.
func TestVerifyByHand(t *testing.T) {
	q := long2rag.Question{ID: "q", Text: "q?"}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		q.KeyPoints = append(q.KeyPoints, long2rag.KeyPoint{ID: id, Text: id})
	}
	one := []HumanVerdict{{"q", "a", true, Agree}, {"q", "b", true, Agree}, {"q", "c", true, Agree},
		{"q", "d", false, ""}}
	two := []HumanVerdict{{"q", "a", true, Agree}, {"q", "b", false, ""}, {"q", "c", true, Neutral},
		{"q", "d", false, ""}}
	v := Verify([]long2rag.Question{q}, [][]HumanVerdict{one, two})
	if v.Points != 5 || v.Judged != 4 || v.Found != 2 || v.Agree != 1 || v.Shared != 4 || v.SharedKey != 2 ||
		math.Abs(v.KappaFound-0.5) > 1e-12 || math.Abs(v.KappaKey-0.25) > 1e-12 {
		t.Errorf("%+v", v)
	}
	if len(v.Questions) != 1 || len(v.Questions[0].KeyPoints) != 1 || v.Questions[0].KeyPoints[0].ID != "a" {
		t.Errorf("%+v", v.Questions)
	}
}

func TestBadSheets(t *testing.T) {
	q := []long2rag.Question{{ID: "q", Text: "q?", KeyPoints: []long2rag.KeyPoint{{ID: "a", Text: "a"}}}}
	head := "question_id,point_id,found_in_text,key_point_verdict\n"
	for sheet, word := range map[string]string{
		"":                          "not CSV",
		"question_id,point_id\n":    "no column found_in_text",
		head + "q,z,yes,agree\n":    "line 2: judges the key point z",
		head + "q,a,maybe,agree\n":  `"maybe" under found_in_text`,
		head + "q,a,yes,sure\n":     `"sure" under key_point_verdict`,
		head + "q,a,no,\nq,a,no,\n": "line 3: judges the key point a of the question q a second time",
		head + "q\n":                "judges the key point  of",
		head + "\"q,a,yes,agree\n":  "not CSV",
	} {
		if _, _, err := ReadSheet("sheet.csv", []byte(sheet), q); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", sheet, err)
		}
	}
}

func FuzzReadSheet(f *testing.F) {
	f.Add([]byte("question_id,point_id,found_in_text,key_point_verdict\nq,a,yes,agree\n"))
	q := []long2rag.Question{{ID: "q", Text: "q?", KeyPoints: []long2rag.KeyPoint{{ID: "a", Text: "a"}}}}
	f.Fuzz(func(_ *testing.T, data []byte) {
		if v, _, err := ReadSheet("x", data, q); err == nil {
			Verify(q, [][]HumanVerdict{v, v})
		}
	})
}

// A manual of some megabytes is shown around the place that a point was taken from, and what is left out is said.
func TestLongDocumentsAreShownInPart(t *testing.T) {
	text := strings.Repeat("Gerät ", 100_000) + "The valve opens at 5 bar." + strings.Repeat(" Wörter", 100_000)
	q := long2rag.Question{Documents: []long2rag.Document{{ID: "manual", Text: text}}}
	shown := evidence(q, long2rag.KeyPoint{Spans: []string{"The valve opens at 5 bar."}, Documents: []string{"manual"}})
	if len(shown) > 3*around || !utf8.ValidString(shown) || !strings.Contains(shown, ">>The valve opens at 5 bar.<<") {
		t.Errorf("%d bytes: %.80q", len(shown), shown)
	}
	left := regexp.MustCompile(`\[(\d+) characters left out\]`).FindAllStringSubmatch(shown, -1)
	if len(left) != 2 {
		t.Fatalf("%q", left)
	}
	a, _ := strconv.Atoi(left[0][1])
	b, _ := strconv.Atoi(left[1][1])
	kept := regexp.MustCompile(`(?s)^manual:\n| \[\d+ characters left out\] |>>|<<`).ReplaceAllString(shown, "")
	if n := a + b + utf8.RuneCountInString(kept); n != utf8.RuneCountInString(text) {
		t.Errorf("%d characters are shown or counted, of %d", n, utf8.RuneCountInString(text))
	}

	if nowhere := evidence(q, long2rag.KeyPoint{Spans: []string{"not there"}}); len(nowhere) > 2*fullText {
		t.Errorf("%d bytes of a text without the place", len(nowhere))
	}
}
