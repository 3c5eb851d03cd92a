package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"sync"
)

// servedModules are the files of the script that a server adds: they ask it for the blocks.
var servedModules = slices.Concat(labelModules,
	[]string{"ask.js", "live.js", "calls.js", "results.js", "planner.js", "office.js", "runs.js", "served.js"})

// servedStyles are the files of the style that a server adds.
var servedStyles = []string{labelStyle, "served.css"}

var servedScript = sync.OnceValue(func() string { return joined(slices.Concat(modules, servedModules), "served.js", "serve") })

var servedStyle = sync.OnceValue(func() string {
	out := style()
	for _, name := range servedStyles {
		out += read("src/" + name)
	}
	return out
})

// ServedPolicy is the content security policy of Shell: its own script and style, and
// requests to nobody but the server it came from.
var ServedPolicy = sync.OnceValue(func() string {
	return "default-src 'none'; script-src " + hashOf(servedScript()) + "; style-src " + hashOf(servedStyle()) +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
})

// Shell is the page without data, for a server that hands out the blocks one by one. It is
// the same for all runs: what is shown is in its address.
var Shell = sync.OnceValues(func() ([]byte, error) {
	var out bytes.Buffer
	err := shell.Execute(&out, map[string]any{
		"Policy":    ServedPolicy(),
		"Style":     template.CSS(servedStyle()),
		"Script":    template.HTML("<script>" + servedScript() + "</script>"),
		"Head":      "",
		"Title":     "lore",
		"Page":      Head{},
		"Table":     "",
		"Served":    true,
		"Labelling": false,
	})
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	out.WriteString("</body>\n</html>\n")
	return out.Bytes(), nil
})

// JSON is a block's data.
func (b Block) JSON() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b.Data); err != nil {
		return nil, fmt.Errorf("encode the block %s of the page: %w", b.Name, err)
	}
	return buf.Bytes(), nil
}
