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

		// A heading or an item of a list is a paragraph of its own.
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

// blocks are the elements that end a paragraph; skipped ones hold no text of the page.
var (
	blocks = set(
		atom.Article, atom.Blockquote, atom.Br, atom.Dd, atom.Div, atom.Dt,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Li, atom.P, atom.Pre, atom.Section, atom.Td, atom.Th, atom.Tr,
	)
	skipped = set(
		atom.Footer, atom.Form, atom.Head, atom.Nav, atom.Noscript,
		atom.Script, atom.Style, atom.Svg, atom.Template,
	)
)

func set(elements ...atom.Atom) map[atom.Atom]bool {
	out := map[atom.Atom]bool{}
	for _, a := range elements {
		out[a] = true
	}
	return out
}

// web takes the text out of a page, without menus, scripts and styles.
func web(s string) (string, error) {
	root, err := html.Parse(bytes.NewReader([]byte(s)))
	if err != nil {
		return "", err
	}

	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(strings.ReplaceAll(n.Data, "\n", " "))
		case n.Type == html.ElementNode && skipped[n.DataAtom]:
			return
		}

		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode && blocks[n.DataAtom] {
			b.WriteString("\n\n")
		}
	}

	walk(root)
	return extracted(b.String())
}
