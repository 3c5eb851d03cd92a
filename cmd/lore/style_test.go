package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// source is a file of the tree that people read: no test, no testdata, not generated.
type source struct {
	name string
	text string
	file *ast.File
}

func sources(t *testing.T, fset *token.FileSet) []source {
	t.Helper()
	var out []source
	root := "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(fset, path, data, parser.ParseComments)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if !ast.IsGenerated(f) {
			out = append(out, source{filepath.ToSlash(name), string(data), f})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("%d files: the test proves nothing", len(out))
	}
	return out
}

// Bounds of style: a function of more lines than longFunction has a paragraph or a line
// of why, but for one in ten, and no line is longer than a page is wide.
const (
	longFunction = 25
	longLine     = 140
)

// texts are files of data in the form of Go: their lines are as long as their sentences.
var texts = []string{"datasets/summhay/internal/samplegen/content.go"}

func TestFunctionsHaveParagraphs(t *testing.T) {
	fset := token.NewFileSet()
	var walls []string
	long := 0
	for _, s := range sources(t, fset) {
		lines := strings.Split(s.text, "\n")
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			from, to := fset.Position(f.Body.Lbrace).Line, fset.Position(f.Body.Rbrace).Line
			if to-from <= longFunction {
				continue
			}
			long++
			breathes := slices.ContainsFunc(lines[from:to-1], func(l string) bool {
				l = strings.TrimSpace(l)
				return l == "" || strings.HasPrefix(l, "//")
			})
			if !breathes {
				walls = append(walls, s.name+": "+f.Name.Name)
			}
		}
	}
	if 10*len(walls) > long {
		t.Errorf("%d of %d functions over %d lines have no paragraph: %v", len(walls), long, longFunction, walls)
	}
}

func TestLinesFitAPage(t *testing.T) {
	for _, s := range sources(t, token.NewFileSet()) {
		if slices.Contains(texts, s.name) {
			continue
		}
		for i, l := range strings.Split(s.text, "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")); n > longLine {
				t.Errorf("%s:%d has %d columns, more than %d", s.name, i+1, n, longLine)
			}
		}
	}
}

// writers are calls that make files and folders as anybody may read them.
var writers = []string{"os.Create(", "os.Mkdir(", "os.MkdirAll(", "os.WriteFile(", "os.OpenFile(", "os.Chmod(", ".Chmod("}

// Files and folders are made in local/files alone, which keeps them from others; the door
// makes its journals by itself.
func TestFilesAreMadeInOnePlace(t *testing.T) {
	found := 0
	for _, s := range sources(t, token.NewFileSet()) {
		for _, w := range writers {
			n := strings.Count(s.text, w)
			switch dir := filepath.Dir(s.name); {
			case n == 0 || dir == "local/gate":
			case dir == "local/files":
				found += n
			default:
				t.Errorf("%s calls %s): use lore/local/files", s.name, w)
			}
		}
	}
	if found < 4 {
		t.Errorf("%d calls in local/files: the test proves nothing", found)
	}
}

// An interface that a part of the house may do without is worth its name only where at
// least two parts have it. It is found by the type assertions that ask for it.
func TestOptionalInterfacesHaveSeveralImplementers(t *testing.T) {
	fset := token.NewFileSet()
	all := sources(t, fset)
	declared := map[string][]string{}       // methods of our interfaces, by package and name
	methods := map[string]map[string]bool{} // of our types, by package and name
	asserted := map[string]string{}         // interfaces that are asked for, with the place

	for _, s := range all {
		dir := filepath.ToSlash(filepath.Dir(s.name))
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok {
					declared[dir+"."+n.Name.Name] = names(i)
				}
			case *ast.FuncDecl:
				if n.Recv != nil {
					key := dir + "." + receiver(n.Recv.List[0].Type)
					if methods[key] == nil {
						methods[key] = map[string]bool{}
					}
					methods[key][n.Name.Name+signature(n.Type)] = true
				}
			case *ast.TypeAssertExpr:
				if name := interfaceName(s, dir, n.Type); name != "" {
					asserted[name] = fset.Position(n.Pos()).String()
				}
			}
			return true
		})
	}

	found := 0
	for name, place := range asserted {
		want, ours := declared[name]
		if !ours || len(want) == 0 {
			continue
		}
		found++
		var have []string
		for typ, m := range methods {
			if !slices.ContainsFunc(want, func(w string) bool { return !m[w] }) {
				have = append(have, typ)
			}
		}
		slices.Sort(have)
		t.Logf("%s: %d implementers: %v", name, len(have), have)
		if len(have) < 2 {
			t.Errorf("%s: %s has %d implementers: %v", place, name, len(have), have)
		}
	}
	if found == 0 {
		t.Error("no optional interface was found: the test proves nothing")
	}
}

func names(i *ast.InterfaceType) []string {
	var out []string
	for _, m := range i.Methods.List {
		f, ok := m.Type.(*ast.FuncType)
		for _, n := range m.Names {
			if ok {
				out = append(out, n.Name+signature(f))
			}
		}
	}
	return out
}

// signature is how many parameters and results a method has: with its name that tells
// methods apart well enough here.
func signature(f *ast.FuncType) string {
	return fmt.Sprintf("(%d)%d", f.Params.NumFields(), f.Results.NumFields())
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// interfaceName is the package and name of a type that is asserted, where it is ours.
func interfaceName(s source, dir string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return dir + "." + e.Name
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		if !ok {
			return ""
		}
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			named := imp.Name != nil && imp.Name.Name == pkg.Name
			if inner, ours := strings.CutPrefix(path, "lore/"); ours && (named || imp.Name == nil && filepath.Base(path) == pkg.Name) {
				return inner + "." + e.Sel.Name
			}
		}
	}
	return ""
}
