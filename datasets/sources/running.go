package sources

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	hyphenated = regexp.MustCompile(`(\p{L})-\n(\p{Ll})`)
	pageNumber = regexp.MustCompile(`(?mi)^[ \t]*(?:page[ \t]*)?[-–]?[ \t]*\d{1,4}[ \t]*[-–]?[ \t]*$`)
	blankLines = regexp.MustCompile(`\n[ \t]*\n\s*`)
	spaces     = regexp.MustCompile(`[^\S\n]+`)
)

// Marks of Markdown. A mark at the beginning of a line is a heading's, a quotation's, an
// item's of either kind of list, a rule, or the line below the head of a table.
var (
	mdImage = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	mdLink  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	mdMark  = regexp.MustCompile(`(?m)^[ \t]*(?:` +
		`#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d+\.[ \t]+|[-=*_]{3,}[ \t]*$|\|[-:| \t]+\|?[ \t]*$)`)
	mdEmphasis  = regexp.MustCompile("[*_]{1,3}([^*_\n]+)[*_]{1,3}|`([^`\n]+)`")
	mdRow       = regexp.MustCompile(`^[ \t]*\|(.*?)\|?[ \t]*\r?\n?$`)
	frontMatter = regexp.MustCompile(`\A---\n(?s:.*?)\n---\n`)
)

// extracted joins what was broken over lines: words at hyphens, and lines of a
// paragraph; page numbers between pages go.
func extracted(s string) (string, error) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")

	// Page numbers can only be told from other numbers where pages end by form feeds.
	if strings.ContainsRune(s, '\f') {
		s = pageNumber.ReplaceAllString(strings.ReplaceAll(s, "\f", "\n"), "")
	}

	s = hyphenated.ReplaceAllString(s, "$1$2")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)

	paragraphs := blankLines.Split(strings.TrimSpace(s), -1)
	for i, p := range paragraphs {
		paragraphs[i] = strings.TrimSpace(spaces.ReplaceAllString(strings.ReplaceAll(p, "\n", " "), " "))
	}
	return strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return p == "" }), "\n\n"), nil
}

// markdown drops marks and keeps words.
func markdown(s string) (string, error) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = frontMatter.ReplaceAllString(s, "")

	var kept []string
	fenced := false
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}

		// A row of a table, a heading or an item of a list is a paragraph of its own.
		if row := mdRow.FindStringSubmatch(line); !fenced && row != nil && !mdMark.MatchString(line) {
			kept = append(kept, "\n"+strings.TrimSpace(row[1])+"\n\n")
			continue
		}
		if mark := mdMark.FindString(line); !fenced && mark != "" && strings.TrimSpace(mark) != ">" {
			line = "\n" + mdMark.ReplaceAllString(line, "") + "\n"
		} else if !fenced {
			line = mdMark.ReplaceAllString(line, "")
		}
		kept = append(kept, line)
	}

	s = strings.Join(kept, "")
	s = mdImage.ReplaceAllString(s, "$1")
	s = mdLink.ReplaceAllString(s, "$1")
	s = mdEmphasis.ReplaceAllString(s, "$1$2")
	return extracted(s)
}

// blocks are the elements that part paragraphs; skipped ones hold no text of the page.
var (
	blocks = set(
		atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Br, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Legend,
		atom.Li, atom.Main, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Ul,
	)
	headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6} // by their depth
	skipped  = set(
		atom.Footer, atom.Form, atom.Head, atom.Nav, atom.Noscript,
		atom.Script, atom.Style, atom.Svg, atom.Template,
	)
)

func set[E comparable](elements ...E) map[E]bool {
	out := map[E]bool{}
	for _, a := range elements {
		out[a] = true
	}
	return out
}

// page takes the text out of a page, without menus, scripts, styles and what the page hides. marked gives headings
// the marks of Markdown.
func page(s string, marked bool) (string, error) {
	root, err := html.Parse(bytes.NewReader([]byte(s)))
	if err != nil {
		return "", err
	}
	p := &webPage{marked: marked}
	p.walk(root)
	return extracted(p.text())
}

// webPage is a page on its way to text.
type webPage struct {
	flow
	marked bool
}

func (p *webPage) walk(n *html.Node) {
	kind := n.DataAtom
	switch {
	case n.Type == html.TextNode:
		p.write(strings.ReplaceAll(n.Data, "\n", " "))
	case n.Type == html.ElementNode && (skipped[kind] || unseen(n)):
		return
	case blocks[kind]:
		p.paragraph()
	case kind == atom.Tr:
		p.beginRow()
	}
	if depth := slices.Index(headings, kind); depth >= 0 && p.marked && len(p.rows) == 0 && hasText(n) {
		p.write(strings.Repeat("#", depth+1) + " ")
	}

	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.walk(c)
	}

	switch {
	case blocks[kind]:
		p.paragraph()
	case kind == atom.Td || kind == atom.Th:
		p.endCell()
	case kind == atom.Tr:
		p.endRow()
	}
}

// unseen reports whether a page hides an element from its readers.
func unseen(n *html.Node) bool {
	for _, a := range n.Attr {
		switch value := strings.ToLower(a.Val); {
		case a.Key == "hidden":
			return value != "until-found"
		case a.Key == "style":
			style := strings.Join(strings.Fields(value), "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

func hasText(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) != ""
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if hasText(c) {
			return true
		}
	}
	return false
}
