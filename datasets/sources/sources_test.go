package sources

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"lore/datasets"
	"lore/local/files"
)

const twenty = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ file, content, want string }{
		"text":            {"a.txt", "One line\nand another.\r\n\r\n\r\nA second  paragraph.", "One line and another.\n\nA second paragraph."},
		"a PDF's text":    {"a.txt", "The harbour was re-\npaired in spring.\n\n  12  \n\fPage 13\nIt held.", "The harbour was repaired in spring.\n\nIt held."},
		"numbers kept":    {"a.txt", "In the year\n1953\nit held.", "In the year 1953 it held."},
		"compound kept":   {"a.txt", "the North-\nSea port", "the North- Sea port"},
		"markdown":        {"a.md", "---\ntitle: x\n---\n# The *wall*\nIt [held](http://x) **well**.\n\n- one `code`\n- two\n> said she\n```\nraw # text\n```\n| a | b |\n|---|---|", "The wall\n\nIt held well.\n\none code\n\ntwo\n\nsaid she raw # text\n\na | b"},
		"html":            {"a.html", "<html><head><title>no</title></head><body><nav>menu</nav><h1>Wall</h1><p>It held &amp;\nstood.<br>Yes.<script>x()</script></p><ul><li>one<li>two</ul></body>", "Wall\n\nIt held & stood.\n\nYes.\n\none\n\ntwo"},
		"byte order mark": {"a.txt", "\ufeffHello.", "Hello."},
	} {
		got, err := textOf(c.file, c.content)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestRead(t *testing.T) {
	dir := folder(t, map[string]string{
		"b.txt": twenty, "sub/a.md": "# A " + twenty, "c.html": "<p>C " + twenty, "short.txt": "too short", "x.png": "PNG", ".hidden.txt": twenty,
		"b.docx":     archive(t, map[string]string{"word/document.xml": "<document><body><p><r><t>" + twenty + "</t></r></p></body></document>"}),
		"table.xlsx": "PK", "latin.txt": twenty + " caf\xe9", "d.jsonl": `{"id":"d1","title":"T","text":"` + twenty + `"}` + "\n",
	})
	if err := os.Symlink(filepath.Join(dir, "b.txt"), filepath.Join(dir, "linked.txt")); err != nil {
		t.Fatal(err)
	}
	r, err := Read(t.Context(), dir, Options{LeastWords: 20})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range r.Documents {
		ids = append(ids, d.ID)
	}
	if strings.Join(ids, " ") != "b c d1 sub/a" {
		t.Errorf("%v", ids)
	}

	// Every file is read, or named with its reason; those of no use to anybody are hidden.
	reasons := map[string]string{
		"linked.txt": "is a link", "b.txt": `has the id "b" of b.docx`, "latin.txt": "byte 0xe9 is not UTF-8", "short.txt": "fewer than 20 words",
		"x.png": "kind that is not read (.png)", "table.xlsx": "is a table",
	}
	for _, l := range r.LeftOut {
		if want := reasons[l.Place]; want == "" || !strings.Contains(l.Reason, want) {
			t.Errorf("%s: %s, want %q", l.Place, l.Reason, want)
		}
		delete(reasons, l.Place)
	}
	if len(reasons) > 0 {
		t.Errorf("not named: %v", reasons)
	}
	if notes := strings.Join(r.Notes(), "\n"); !strings.Contains(notes, "left out short.txt, which has fewer than 20 words") {
		t.Error(notes)
	}

	if r, err = Read(t.Context(), filepath.Join(dir, "d.jsonl"), Options{}); err != nil || len(r.Documents) != 1 || !strings.HasPrefix(r.Documents[0].Text, "T\n\none") {
		t.Errorf("%v %v", r, err)
	}
}

// folder writes files.
func folder(t *testing.T, list map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range list {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// archive is a zip archive of some files.
func archive(t testing.TB, list map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range list {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Office files give their paragraphs, without what was deleted, stands there twice or was noted beside it.
func TestOffice(t *testing.T) {
	const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	for name, c := range map[string]struct {
		members map[string]string
		want    string
	}{
		"a.docx": {map[string]string{
			"word/document.xml": `<w:document ` + w + `><w:body><w:p><w:r><w:t>The wall</w:t></w:r></w:p><w:p><w:r><w:t xml:space="preserve">It </w:t></w:r>` +
				`<w:r><w:t>held</w:t><w:tab/><w:t>firm</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r></w:p></w:body></w:document>`,
			"word/footnotes.xml": `<w:footnotes ` + w + `><w:footnote><w:p><w:r><w:t>So they say.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
			"word/styles.xml":    `<w:styles ` + w + `><w:t>no</w:t></w:styles>`,
		}, "The wall\n\nIt held firm\n\nSo they say."},
		"a.odt": {map[string]string{"content.xml": `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>` +
			`<text:h>The wall</text:h><text:p>It<text:s/>held<text:line-break/><text:span>firm</text:span><office:annotation><text:p>why?</text:p></office:annotation>.</text:p>` +
			`</office:text></office:body></office:document-content>`}, "The wall\n\nIt held firm."},
		"a.pptx": {map[string]string{
			"ppt/slides/slide10.xml": `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Third</a:t></a:r></a:p></p:sld>`,
			"ppt/slides/slide2.xml":  `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Second</a:t></a:r></a:p></p:sld>`,
			"ppt/slides/slide1.xml":  `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Fir</a:t></a:r><a:r><a:t>st</a:t></a:r></a:p></p:sld>`,
		}, "First\n\nSecond\n\nThird"},
	} {
		dir := folder(t, map[string]string{name: archive(t, c.members)})
		r, err := Read(t.Context(), dir, Options{})
		if err != nil || r.Documents[0].Text != c.want {
			t.Errorf("%s: %+v, %v, want %q", name, r, err, c.want)
		}
	}
}

// What stands in office files besides plain paragraphs keeps its sentences and rows whole, and nobody reads what is hidden.
func TestOfficeMarks(t *testing.T) {
	const cell = `<w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc>`
	tc := func(texts ...string) string {
		out := ""
		for _, text := range texts {
			out += strings.Replace(cell, "%s", text, 1)
		}
		return "<w:tr>" + out + "</w:tr>"
	}
	run := func(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }
	hidden := func(val string) string { return `<w:r><w:rPr><w:vanish` + val + `/></w:rPr><w:t>secret</w:t></w:r>` }
	word := func(body string) map[string]string {
		return map[string]string{"word/document.xml": `<w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`}
	}
	open := func(styles, body string) map[string]string {
		return map[string]string{"content.xml": `<o:c xmlns:o="o" xmlns:text="t" xmlns:table="b" xmlns:style="s" xmlns:number="n"><o:automatic-styles>` +
			styles + `</o:automatic-styles><o:body><o:text>` + body + `</o:text></o:body></o:c>`}
	}
	long := strings.TrimSpace(strings.Repeat("word ", laidOut))

	for title, c := range map[string]struct {
		file    string
		members map[string]string
		want    string
	}{
		"no-break hyphen": {"a.docx", word(`<w:p>` + run("twenty") + `<w:r><w:noBreakHyphen/><w:t>one</w:t></w:r></w:p>`), "twenty-one"},
		"moved text":      {"a.docx", word(`<w:p>` + run("It ") + `<w:moveFrom>` + run("gone") + `</w:moveFrom><w:moveTo>` + run("held") + `</w:moveTo></w:p>`), "It held"},
		"hidden text":     {"a.docx", word(`<w:p>` + run("It ") + hidden("") + hidden(` w:val="true"`) + run("held") + `</w:p>`), "It held"},
		"not hidden":      {"a.docx", word(`<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>` + hidden(` w:val="0"`) + `</w:p>`), "secret"},
		"table":           {"a.docx", word(`<w:p>` + run("Costs") + `</w:p><w:tbl>` + tc("Wall", "", "7") + tc("Road", "2", "9") + `</w:tbl><w:p>` + run("So.") + `</w:p>`), "Costs\n\nWall | | 7\n\nRoad | 2 | 9\n\nSo."},
		"layout":          {"a.docx", word(`<w:tbl><w:tr><w:tc><w:p>` + run("One.") + `</w:p><w:p>` + run("Two.") + `</w:p></w:tc></w:tr></w:tbl>`), "One.\n\nTwo."},
		"long layout":     {"a.docx", word(`<w:tbl><w:tr>` + cell2("Left.") + `<w:tc><w:p>` + run(long) + `</w:p><w:p>` + run("Two.") + `</w:p></w:tc></w:tr></w:tbl>`), "Left.\n\n" + long + "\n\nTwo."},
		"inner table":     {"a.docx", word(`<w:tbl><w:tr><w:tc><w:tbl>` + tc("a", "b") + `</w:tbl></w:tc><w:tc><w:p>` + run("c") + `</w:p></w:tc></w:tr></w:tbl>`), "a | b | c"},
		"note":            {"a.odt", open("", `<text:p>The wall<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>So they say.</text:p></text:note-body></text:note> held.</text:p><text:p>Yes.</text:p>`), "The wall held.\n\nNote 1: So they say.\n\nYes."},
		"open table":      {"a.odt", open("", `<table:table><table:table-row><table:table-cell><text:p>Wall</text:p></table:table-cell><table:table-cell><text:p>7</text:p><text:p>8</text:p></table:table-cell></table:table-row></table:table>`), "Wall | 7 8"},
		"open hidden": {"a.odt", open(`<number:number-style><number:text>€</number:text></number:number-style><style:style style:name="T1"><style:text-properties text:display="none"/></style:style><style:style style:name="T2"><style:text-properties/></style:style>`,
			`<text:p>It <text:span text:style-name="T1">secret</text:span><text:span text:style-name="T2">held</text:span></text:p><text:p text:style-name="T1">secret</text:p><text:section text:display="none"><text:p>secret</text:p></text:section><text:p><text:hidden-text text:is-hidden="true">secret</text:hidden-text>Yes.</text:p>`), "It held\n\nYes."},
		"speaker's notes": {"a.pptx", map[string]string{
			"ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>One</a:t></a:r></a:p><a:tbl><a:tr><a:tc><a:p><a:t>x</a:t></a:p></a:tc><a:tc><a:p><a:t>y</a:t></a:p></a:tc></a:tr></a:tbl></p:sld>`,
			"ppt/slides/slide2.xml": `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>Two</a:t></a:r></a:p></p:sld>`,
			"ppt/slides/_rels/slide1.xml.rels": `<Relationships><Relationship Type="http://x/slideLayout" Target="../l.xml"/>` +
				`<Relationship Type="http://x/notesSlide" Target="../notesSlides/notesSlide7.xml"/></Relationships>`,
			"ppt/notesSlides/notesSlide7.xml": `<p:notes xmlns:p="p" xmlns:a="a"><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><a:p><a:t>Say this.</a:t></a:p></p:sp>` +
				`<p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><a:p><a:t>1</a:t></a:p></p:sp></p:notes>`,
			"ppt/notesSlides/notesSlide8.xml": `<p:notes xmlns:p="p" xmlns:a="a"><a:p><a:t>Of no slide.</a:t></a:p></p:notes>`,
		}, "One\n\nx | y\n\nSay this.\n\nTwo"},
	} {
		dir := folder(t, map[string]string{c.file: archive(t, c.members)})
		r, err := Read(t.Context(), dir, Options{})
		if err != nil || r.Documents[0].Text != c.want {
			t.Errorf("%s: %+v, %v, want %q", title, r, err, c.want)
		}
	}
}

// Headings of office files can be marked as those of Markdown are.
func TestOfficeHeadings(t *testing.T) {
	for file, c := range map[string]struct{ name, content, want string }{
		"a.docx": {"word/document.xml", `<w:d xmlns:w="w"><w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>The wall</w:t></w:r></w:p>` +
			`<w:p><w:pPr><w:pStyle w:val="BodyText"/></w:pPr><w:r><w:t>It held.</w:t></w:r></w:p></w:d>`, "## The wall\n\nIt held."},
		"a.odt": {"content.xml", `<o xmlns:text="t"><text:h text:outline-level="1">The wall</text:h><text:p>It held.</text:p></o>`, "# The wall\n\nIt held."},
	} {
		dir := folder(t, map[string]string{file: archive(t, map[string]string{c.name: c.content})})
		for headings, want := range map[bool]string{true: c.want, false: strings.TrimLeft(c.want, "# ")} {
			r, err := Read(t.Context(), dir, Options{Headings: headings})
			if err != nil || r.Documents[0].Text != want {
				t.Errorf("%s: %+v, %v, want %q", file, r, err, want)
			}
		}
	}
}

// cell2 is a cell with a paragraph.
func cell2(text string) string { return `<w:tc><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:tc>` }

// Pages part paragraphs at every block, keep the rows of tables, and leave out what they hide.
func TestPages(t *testing.T) {
	for title, c := range map[string]struct{ page, want, marked string }{
		"blocks":  {"<header>The town<h1>Wall</h1></header><main>It held.<section>And <b>stood</b>.</section>Yes.<figure><figcaption>A wall</figcaption></figure></main>", "The town\n\nWall\n\nIt held.\n\nAnd stood.\n\nYes.\n\nA wall", "The town\n\n# Wall\n\nIt held.\n\nAnd stood.\n\nYes.\n\nA wall"},
		"hidden":  {`<p>It<span hidden>secret</span> held.</p><div style="color:red; DISPLAY : none">secret</div><div hidden="until-found">Found.</div><p style="display:block">Yes.</p>`, "It held.\n\nFound.\n\nYes.", ""},
		"table":   {"<table><caption>Costs</caption><tr><th>Wall<th>Road</tr><tr><td>7</td><td>9<br>or 10</td></tr></table>So.", "Costs\n\nWall | Road\n\n7 | 9 or 10\n\nSo.", ""},
		"layout":  {"<table><tr><td><p>One.<p>Two.</td></tr></table>", "One.\n\nTwo.", ""},
		"heading": {"<h2></h2><h2>Part <i>two</i></h2>Text.<table><tr><td><h3>a</h3></td><td>b</td></tr></table>", "Part two\n\nText.\n\na | b", "## Part two\n\nText.\n\na | b"},
	} {
		if got, err := page(c.page, false); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", title, got, err)
		}
		if got, err := page(c.page, true); c.marked != "" && (err != nil || got != c.marked) {
			t.Errorf("%s: %q, %v", title, got, err)
		}
	}
}

// A small archive can hold very much; a damaged one is named.
func TestBadOffice(t *testing.T) {
	bomb := archive(t, map[string]string{"content.xml": "<p>" + strings.Repeat(" ", mostUnpacked+10) + "</p>"})
	for content, want := range map[string]string{
		bomb: "too large when it is unpacked", "no zip": "is not an office file", bomb[:len(bomb)/2]: "is not an office file",
		archive(t, map[string]string{"x.xml": "<p/>"}): "of the kind its name says", archive(t, map[string]string{"content.xml": "<p>"}): "cannot be read",
	} {
		dir := folder(t, map[string]string{"a.odt": content, "b.txt": twenty})
		r, err := Read(t.Context(), dir, Options{})
		if err != nil || len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0].Reason, want) {
			t.Errorf("%+v %v, want %q", r, err, want)
		}
		if _, err := Read(t.Context(), filepath.Join(dir, "a.odt"), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("named by itself: %v, want %q", err, want)
		}
	}
}

// PDF is read where pdftotext is installed; where it is not, the file is named with what to do.
func TestPDF(t *testing.T) {
	dir := folder(t, map[string]string{"a.pdf": "%PDF-1.4 broken", "b.txt": twenty, "-c.pdf": onePage})
	_, err := exec.LookPath(pdfProgram)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("CI installs poppler-utils")
	}
	if err == nil {
		r, err := Read(t.Context(), dir, Options{})
		if err != nil || len(r.Documents) != 2 || r.Documents[0].Text != "The harbour wall held." || len(r.LeftOut) != 1 {
			t.Errorf("%+v %v", r, err)
		}
	}

	t.Setenv("PATH", "")
	r, err := Read(t.Context(), dir, Options{})
	if err != nil || len(r.Documents) != 1 || len(r.LeftOut) != 2 || !strings.Contains(r.Notes()[0], "install poppler-utils") {
		t.Errorf("%+v %v", r, err)
	}
}

// onePage is a PDF that says something.
const onePage = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n" +
	"4 0 obj<</Length 52>>stream\nBT /F 12 Tf 20 50 Td (The harbour wall held.) Tj ET  \nendstream endobj\n" +
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"

// What cannot be read is named, with its place and what to do.
func TestBadSources(t *testing.T) {
	for title, c := range map[string]struct{ file, content, word string }{
		"no files":      {"", "", "holds no documents"},
		"binary":        {"a.txt", twenty + "\x00\x01", "is binary"},
		"latin 1":       {"a.txt", twenty + "\ncaf\xe9 au lait", "line 2: byte 0xe9 is not UTF-8"},
		"utf-16":        {"a.txt", "\xff\xfeh\x00i\x00", "is UTF-16"},
		"a PDF as text": {"a.txt", "%PDF-1.7 " + twenty, "is PDF"},
		"50 MB":         {"a.txt", strings.Repeat("word ", 10<<20), "has 50.0 MB of text; a document has at most 5 MB"},
		"50 MB a line":  {"a.jsonl", `{"id":"a","text":"` + strings.Repeat("word ", 10<<20) + `"}`, "has 50.0 MB"},
		"no JSON":       {"a.jsonl", "{", "line 1: is not a document"},
		"no id":         {"a.jsonl", `{"text":"x"}`, `there is no "id"`},
		"only short":    {"a.txt", "word", "holds no documents"},
		"only pictures": {"a.png", "\x89PNG", "kind that is not read"},
	} {
		dir := t.TempDir()
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		name := dir
		if c.file != "" {
			name = filepath.Join(dir, c.file)
		}
		_, err := Read(t.Context(), name, Options{LeastWords: 20})
		var in *datasets.InputError
		if !errors.As(err, &in) || !strings.Contains(err.Error(), c.word) || in.Remedy == "" {
			t.Errorf("%s: %.200v", title, err)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "nowhere"), Options{}); err == nil {
		t.Error("a folder that is not there is read")
	}
}

// What lore has written, what other flags name and what is hidden is told apart from documents.
func TestWhatIsNoDocument(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.txt": "One.", "b.txt": "Two.", "q.txt": "Why?", ".git/config": "x", ".env": "x",
		"mine/questions.jsonl": "{}", "mine/calls/journal.jsonl": "{}", // of an interrupted build, which goes on
		"older/build-log.jsonl": "{}", "older/x.txt": "No.", "sub/calls-judge/journal.jsonl": "{}", "sub/y.txt": "No.",
	})
	r, err := Read(t.Context(), dir, Options{
		Out:   filepath.Join(dir, "mine"),
		Named: map[string]string{"--questions": filepath.Join(dir, "sub", "..", "q.txt"), "--example": ""},
	})
	if err != nil || len(r.Documents) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	const want = "left out 2 folders, each of which holds what lore has written: older, sub"
	if got := strings.Join(r.Notes(), "\n"); got != want {
		t.Error(got)
	}
	if got := r.Count() + ". " + strings.Join(r.asides(), ". "); got != "2 documents of 2 files; 2 left out, below. "+
		"left out: mine, the folder of --out; q.txt, the file of --questions. left out: 2 hidden files and folders, such as .env" {
		t.Error(got)
	}
	_, err = Read(t.Context(), filepath.Join(dir, "q.txt"), Options{Named: map[string]string{"--questions": filepath.Join(dir, "q.txt")}})
	if err == nil || !strings.Contains(err.Error(), "holds no documents; left out: q.txt, the file of --questions") {
		t.Error(err)
	}

	var usage *datasets.UsageError
	if err := Apart(dir, filepath.Join(dir, "mine", "..")); !errors.As(err, &usage) || !strings.Contains(err.Error(), "such as --out") {
		t.Error(err)
	}
	if err := Apart(dir, filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}

// A text that is there twice is read once, however its spaces are; where ids are referred to both stay.
func TestCopies(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.txt": "It held\nfirm.", "b.md": "It  held firm.", "c.jsonl": `{"id":"x","text":"It held firm."}`, "d.txt": "Another.",
	})
	r, err := Read(t.Context(), dir, Options{})
	if err != nil || len(r.Documents) != 2 || len(r.Copies) != 0 ||
		!strings.HasSuffix(r.Notes()[0], "says word for word what another says: b.md (like a.txt), c.jsonl: line 1 (like a.txt)") {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Read(t.Context(), dir, Options{Referred: true})
	if err != nil || len(r.Documents) != 4 || len(r.LeftOut) != 0 || len(r.Copies) != 2 || !strings.Contains(r.asides()[0], "b.md (like a.txt)") {
		t.Errorf("%+v, %v", r, err)
	}
}

// A bad file or folder stops nothing: it is left out with its place and reason. The same file named by
// itself is an error.
func TestOneBadFile(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.txt": "One.", "b.jsonl": `{"id":"x","text":"Two."}` + "\n\n" + `{"id":"y"}` + "\n" + `{"id":"z","text":"Three."}`, "c.jsonl": "\xff",
	})
	r, err := Read(t.Context(), dir, Options{})
	if err != nil || len(r.Documents) != 1 || r.Files != 3 || len(r.LeftOut) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if why := r.LeftOut[0].Reason; !strings.Contains(why, "line 3: is not a document") || !strings.Contains(why, "its 2 other lines") {
		t.Error(why)
	}
	if why := r.LeftOut[1].Reason; !strings.Contains(why, "is not UTF-8") {
		t.Error(why)
	}
	if _, err := Read(t.Context(), filepath.Join(dir, "b.jsonl"), Options{}); err == nil || !strings.Contains(err.Error(), "line 3: is not a document") {
		t.Error(err)
	}

	below := locked{files.DirFS(folder(t, map[string]string{"shut/a.txt": "One.", "open/b.txt": "Two."})), "shut"}
	shut := &reading{options: Options{}, dir: "."}
	if err := fs.WalkDir(below, ".", shut.visit(below)); err != nil {
		t.Fatal(err)
	}
	if len(shut.LeftOut) != 1 || shut.LeftOut[0].Place != "shut" || !strings.Contains(shut.LeftOut[0].Reason, "permission denied") ||
		strings.Join(shut.names, " ") != "open/b.txt" {
		t.Errorf("%+v", shut)
	}
}

// locked is a file system of which one folder cannot be read: tests may run as somebody who can read all.
type locked struct {
	fs.FS
	name string
}

func (l locked) Open(name string) (fs.File, error) {
	if name == l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

// People name a document by its id or by its file; what is not there is told by what is meant.
func TestIDOf(t *testing.T) {
	r := Reading{
		Documents: []datasets.Document{{ID: "mill_report"}, {ID: "v1.2"}, {ID: "sub/a"}},
		LeftOut:   []LeftOut{{Place: "old map.png", Reason: "is a picture"}, {Place: "b.txt (like a.txt)", Reason: "is a copy"}},
	}
	for name, want := range map[string]string{
		"mill_report": "mill_report", "mill report": "mill_report", "mill report.docx": "mill_report", "v1.2": "v1.2", "sub/a.md": "sub/a",
	} {
		if id, ok := r.IDOf(name); !ok || id != want {
			t.Errorf("%s: %q", name, id)
		}
	}
	for name, want := range map[string]string{
		"mil report": `did you mean "mill_report"? an id is a file's path below --docs`, "a": `did you mean "sub/a"?`, "a.md": `did you mean "sub/a"?`,
		"old map": "the file old map.png was left out: it is a picture", "b.txt": "the file b.txt (like a.txt) was left out: it is a copy",
		"something else": `an id is a file's path below --docs without its ending, with underscores for spaces, such as "mill_report"`,
	} {
		if id, ok := r.IDOf(name); ok || !strings.HasPrefix(r.Meant(name), want) {
			t.Errorf("%s: %q, %s", name, id, r.Meant(name))
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a.md", "# The *wall*\n- one\n```\nx\n```")
	f.Add("a.html", "<table><tr><td>a<td hidden>b<tr><td><h1>c</table><h2>d")
	f.Add("a.md", "| a | b |\n|---|---|\n| c |")
	f.Add("a.html", "<p>It <b>held</b><script>x</script>")
	f.Add("a.txt", "re-\npaired\f12\n")
	f.Fuzz(func(t *testing.T, name, content string) {
		text, err := textOf(name, content)
		if err == nil && (!utf8.ValidString(text) || strings.ContainsRune(text, '\f')) {
			t.Errorf("%q", text)
		}
	})
}

// textOf reads a file's content as Read does.
func textOf(file, content string) (string, error) {
	data, err := files.Text(file, []byte(content))
	if err != nil {
		return "", err
	}
	switch filepath.Ext(file) {
	case ".md":
		return markdown(string(data))
	case ".html":
		return page(string(data), false)
	}
	return extracted(string(data))
}

// Whatever an archive holds, reading it ends, and gives text in UTF-8.
func FuzzOffice(f *testing.F) {
	f.Add("<p><t>a</t></p>", uint8(0))
	f.Add("<a:p><a:t>b<br/></a:t></a:p>", uint8(1))
	f.Add("<text:p>c</text:p", uint8(2))
	f.Add(`<r><rPr><vanish/></rPr><t>a</t></r><tbl><tr><tc><p><t>b</t></p></tc></tr></tbl>`, uint8(0))
	f.Add(`<notes><sp><ph type="sldNum"/><t>1</t></sp></notes>`, uint8(1))
	f.Add(`<style name="T"><text-properties display="none"/></style><p style-name="T">a</p><p>b<note><note-citation>1</note-citation><p>c</p></note></p>`, uint8(2))
	f.Add(`<note><table-row><table-cell>a</table-cell></note></table-row>`, uint8(2))
	f.Fuzz(func(t *testing.T, content string, kind uint8) {
		p := []part{word, slides, openDocument}[kind%3]
		name := []string{"word/document.xml", "ppt/slides/slide1.xml", "content.xml"}[kind%3]
		data := archive(t, map[string]string{name: content})
		z, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		left := int64(mostUnpacked)
		var to flow
		for _, member := range p.of(z) {
			if err := p.read(member, &to, &left); err == nil && !utf8.ValidString(to.text()) {
				t.Errorf("%q", to.text())
			}
		}
	})
}
