package page

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"sync"
)

// labelModules are the files of the script that labelling is drawn by, in a file and from a
// server. They use dom.js, source.js and words.js of the page.
var labelModules = []string{
	"rules.js", "seat.js", "passages.js", "fields.js", "outlook.js", "briefing.js", "desk.js",
}

// fileModules are the files of the script of a labelling file.
var fileModules = slices.Concat([]string{"dom.js", "source.js", "words.js"}, labelModules, []string{"notebook.js", "file.js"})

// labelStyle is the style of both.
const labelStyle = "label.css"

var fileScript = sync.OnceValue(func() string { return joined(fileModules, "file.js", "start") })

var fileStyle = sync.OnceValue(func() string { return read("src/base.css") + read("src/"+labelStyle) })

// sheetBlock is the name of the one block of a labelling file.
const sheetBlock = "sheet"

// Labelling writes the file that an annotator opens in a browser: it holds what is to be
// labelled, as items.json has it, and nothing of how it was drawn or who wrote what. Labels
// are saved as a file by the browser. It asks nobody for anything.
func Labelling(w io.Writer, title string, sheet any) error {
	text, err := packed(Block{sheetBlock, sheet})
	if err != nil {
		return err
	}
	err = shell.Execute(w, map[string]any{
		"Policy": "default-src 'none'; script-src " + hashOf(fileScript()) + "; style-src " + hashOf(fileStyle()) +
			"; img-src data:; base-uri 'none'; form-action 'none'",
		"Style":     template.CSS(fileStyle()),
		"Script":    template.HTML("<script>" + fileScript() + "</script>"),
		"Head":      template.HTML(island(sheetBlock, text)),
		"Title":     title,
		"Page":      Head{},
		"Table":     "",
		"Served":    false,
		"Labelling": true,
	})
	if err == nil {
		_, err = io.WriteString(w, "</body>\n</html>\n")
	}
	if err != nil {
		return fmt.Errorf("write the labelling page: %w", err)
	}
	return nil
}
