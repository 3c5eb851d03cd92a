package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A summary is written on the page for people, saved with its time, and scored as a row with minutes.
func TestSummaryIsWrittenByAPerson(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	lore(t, "build", "summhay", "writing", "../../datasets/summhay/sample/skellan_bay.json", "--minutes", "30", "--out", filepath.Join(dir, "writing"))

	b := newBrowser(t)
	down := b.downloads()
	b.screen(1400, "light")
	b.open(filepath.Join(dir, "writing", "writing1.html"), "")
	if !eval[bool](b, `document.getElementById('answer').disabled && document.getElementById('documents').hidden`) {
		t.Error("documents are there before the clock runs")
	}
	eval[any](b, `document.getElementById('clock').click()`)
	b.wait(`document.getElementById('time').textContent.startsWith('0:01 of 30')`)
	b.shot("writing-1400-light", true)
	eval[any](b, `{
		const label = document.querySelector('#documents h2').textContent;
		const place = document.getElementById('answer');
		place.value = '- A finding is reported here. ' + label + '\n- And another one.';
		place.dispatchEvent(new Event('input'));
	}`)
	if said := eval[string](b, `document.getElementById('count').textContent`); said != "8 of 300 words, 2 of 5 lines" {
		t.Errorf("the page counts %q", said)
	}
	b.screen(390, "light")
	if !eval[bool](b, `answer.getBoundingClientRect().top < documents.getBoundingClientRect().top`) {
		t.Error("on a narrow screen the documents are in front of the text")
	}
	eval[any](b, `window.scrollTo(0, document.body.scrollHeight)`)
	if !eval[bool](b, `answer.getBoundingClientRect().top >= 0 && answer.getBoundingClientRect().bottom <= innerHeight`) {
		t.Error("on a narrow screen the text is out of sight while the documents are read")
	}
	b.shot("writing-390-light", false)

	eval[any](b, `document.getElementById('clock').click()`)
	if !eval[bool](b, `document.getElementById('answer').disabled`) {
		t.Error("somebody can write while the clock stands")
	}
	eval[any](b, `document.getElementById('save').click()`)
	file := filepath.Join(down, "human.jsonl")
	waitForFile(t, file)

	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), "\n") != 1 || !strings.Contains(string(data), `"minutes":0`) {
		t.Fatalf("%s, %v", data, err)
	}
	said := output(t, "run", "summhay", "../../datasets/summhay/sample/skellan_bay.json", "--answers", file, "--out", filepath.Join(dir, "run"))
	if !strings.Contains(said, "Minutes") || !strings.Contains(said, "human") {
		t.Errorf("the table has no minutes:\n%s", said)
	}
}
