package page

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every file of src is part of the page, imports only what stands before it and exports it,
// and is short enough to be read at once.
func TestModulesFitTogether(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^import \{([^}]*)\} from '\./([a-z]+\.js)';$`)
	var exported map[string][]string
	for i, name := range slices.Concat(modules, servedModules, fileModules) {
		if i == 0 || i == len(modules)+len(servedModules) {
			exported = map[string][]string{} // another script begins
		}
		text := read("src/" + name)
		if n := strings.Count(text, "\n"); n > 300 {
			t.Errorf("%s has %d lines", name, n)
		}
		if n := strings.Count(text, "\nimport "); n > len(imports.FindAllString(text, -1)) {
			t.Errorf("%s has an import of another form", name)
		}
		for _, m := range imports.FindAllStringSubmatch(text, -1) {
			for _, want := range strings.Split(m[1], ", ") {
				if !slices.Contains(exported[m[2]], want) {
					t.Errorf("%s imports %s from %s, which does not export it or stands behind it", name, want, m[2])
				}
				if strings.Count(text, want) < 2 {
					t.Errorf("%s imports %s and does not use it", name, want)
				}
			}
		}

		if strings.Contains(text, "export default") || strings.Contains(text, "export let") || strings.Contains(text, "export {") {
			t.Errorf("%s has an export of another form", name)
		}
		exported[name] = []string{}
		for _, m := range exportWord.FindAllStringSubmatch(text, -1) {
			exported[name] = append(exported[name], m[2])
		}
	}

	err := fs.WalkDir(source, "src", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, "src/")
		parts := slices.Concat(modules, servedModules, fileModules, styles, servedStyles,
			[]string{"shell.html", "study.html", "study.css", "tables.html", "tables.css"})
		if !d.IsDir() && !slices.Contains(parts, name) {
			t.Errorf("%s is not part of the page", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The script has no way to run what it is given, to parse it as markup, or to ask anybody
// for anything; a server's page may ask, in one place.
func TestScriptParsesNoMarkup(t *testing.T) {
	for _, name := range slices.Concat(modules, servedModules, fileModules) {
		text := read("src/" + name)
		for _, word := range []string{
			"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "DOMParser", "setHTML",
			"eval(", "new Function", "fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(", "http:", "https:",
		} {
			if name == "ask.js" && word == "fetch(" {
				continue
			}
			at := strings.Index(text, word)
			if at >= 0 && !(word == "http:" && strings.Contains(text[at:], "//www.w3.org/2000/svg")) {
				t.Errorf("%s holds %s", name, word)
			}
		}
	}
	if strings.Contains(script(), "fetch(") || strings.Contains(fileScript(), "fetch(") || !strings.Contains(servedScript(), "fetch(") {
		t.Error("the page in a file asks somebody, or that of a server does not")
	}
	if strings.Contains(fileScript(), "</script") || strings.Contains(servedScript(), "</script") || strings.Contains(servedScript(), "<!--") || strings.Contains(servedStyle(), "</style") {
		t.Error("the script or the style ends its element")
	}
	if strings.Contains(servedStyle(), "url(") || strings.Contains(servedStyle(), "@import") {
		t.Error("the style loads something")
	}
}
