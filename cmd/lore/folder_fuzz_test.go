package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// smallRuns are run folders of every benchmark, as files by name.
func smallRuns(t testing.TB) []map[string][]byte {
	t.Helper()
	var out []map[string][]byte
	for _, line := range []string{
		"summhay --retriever bm25,oracle --budget-tokens 600",
		"crux --retriever bm25,oracle --budget-tokens 600",
		"msrs --retriever bm25,oracle --budget-tokens 600",
		"long2rag --budget-tokens 600",
	} {
		dir := filepath.Join(t.TempDir(), "run")
		args := append([]string{"run"}, strings.Fields(line)...)
		var log bytes.Buffer
		if code := Main(append(args, "--limit", "1", "--cache", "none", "--index-dir", t.TempDir(), "--out", dir), &log, &log); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", line, code, log.String())
		}
		out = append(out, folderFiles(t, dir))
	}
	return out
}

func folderFiles(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, ".lock") || strings.Contains(path, "report.") {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		out[name], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(out) < 5 {
		t.Fatalf("%d files, %v", len(out), err)
	}
	return out
}

// scalar is a value of JSON that is not a list or an object, or the name of a field.
var scalar = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|null|true|false`)

// mutate changes a file: a value of it, some bytes, a line, or its length.
func mutate(data []byte, op uint8, at uint32, patch string) []byte {
	if len(data) == 0 {
		return []byte(patch)
	}
	i := int(at) % len(data)
	lines := bytes.SplitAfter(data, []byte("\n"))
	line := int(at) % len(lines)
	switch op % 5 {
	case 0:
		if found := scalar.FindAllIndex(data, -1); len(found) > 0 {
			f := found[int(at)%len(found)]
			return slices.Concat(data[:f[0]], []byte(patch), data[f[1]:])
		}
	case 1:
		return slices.Concat(data[:i], []byte(patch), data[min(len(data), i+len(patch)):])
	case 2:
		return bytes.Join(slices.Delete(lines, line, line+1), nil)
	case 3:
		return bytes.Join(slices.Insert(lines, line, lines[line]), nil)
	}
	return data[:i]
}

// resign makes the hashes of a manifest those of the files, as a forger would; with old set
// it takes them out, as an earlier lore had none.
func resign(files map[string][]byte, old bool) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(files["manifest.json"], &m) != nil || m == nil {
		return files["manifest.json"]
	}
	hash := func(data []byte) string {
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:])
	}

	delete(m, "sha256")
	delete(m, "files")
	if old {
		m["format"] = json.RawMessage("1")
	} else {
		hashes := map[string]string{}
		for name, data := range files {
			if name != "manifest.json" && !strings.HasPrefix(name, "calls/") {
				hashes[name] = hash(data)
			}
		}
		m["files"], _ = json.Marshal(hashes)
		sealed, _ := json.Marshal(m)
		m["sha256"], _ = json.Marshal(hash(sealed))
	}
	data, _ := json.Marshal(m)
	return data
}

// folderCommands read a run folder in every way; the words in capitals are files.
var folderCommands = []string{
	"runs DIR", "runs verify DIR", "runs verify DIR --json", "report DIR", "report DIR --format md", "report DIR --format latex",
	"report DIR --format csv", "report DIR --format json", "report DIR --html PAGE", "report DIR --human HUMAN", "report DIR --error-sheet SHEET",
	"report DIR --errors SHEET", "report DIR DIR", "compare DIR DIR --resamples 100 --all", "compare DIR --resamples 100 --format json",
	"compare DIR --unit group --resamples 100 --format latex", "judge validate DIR --human HUMAN --judge lexical",
	"gate DIR --system 'bm25, extractive' --save-baseline BASELINE",
	"gate DIR --system 'bm25, extractive' --baseline DIR --rule words:drop<=2 --rule failed==0 --format junit",
}

// FuzzRunFolder changes a file of a run folder of each benchmark, with hashes as they were,
// made again, or taken out. Every command that reads the folder shows it, or refuses it
// with a typed error.
func FuzzRunFolder(f *testing.F) {
	if testing.Short() {
		f.Skip("-short leaves out what only takes long; make test runs it")
	}
	runs := smallRuns(f)
	for run := range uint8(4) {
		for file := range uint8(6) {
			f.Add(run, file, run%3, uint8(0), uint32(17)*uint32(file), "-1")
			f.Add(run, file, file%3, uint8(0), uint32(40)*uint32(run), "null")
			f.Add(run, file, uint8(1), uint8(0), uint32(90), "1e300")
			f.Add(run, file, uint8(1), uint8(3), uint32(file), "")
			f.Add(run, file, uint8(2), uint8(2), uint32(run), "")
			f.Add(run, file, uint8(0), uint8(4), uint32(999), "")
		}
	}
	f.Fuzz(func(t *testing.T, run, file, hashes, op uint8, at uint32, patch string) {
		if len(patch) > 1<<12 {
			t.Skip("a long patch finds what a short one does")
		}
		files := runs[int(run)%len(runs)]
		readFolder(t, changed(files, file, hashes, op, at, patch))
	})
}

// changed is a folder with one file changed.
func changed(files map[string][]byte, file, hashes, op uint8, at uint32, patch string) map[string][]byte {
	var names []string
	out := map[string][]byte{}
	for name, data := range files {
		out[name] = data
		names = append(names, name)
	}
	slices.Sort(names)
	name := names[int(file)%len(names)]
	out[name] = mutate(bytes.Clone(files[name]), op, at, patch)
	if hashes%3 > 0 {
		out["manifest.json"] = resign(out, hashes%3 == 2)
	}
	return out
}

// readFolder has every command read a folder, and reports whether it was refused.
func readFolder(t *testing.T, files map[string][]byte) (refused bool) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "run")
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	human, sheet := filepath.Join(home, "human.jsonl"), filepath.Join(home, "sheet.csv")
	writeHuman(t, files["verdicts.jsonl"], human)
	places := strings.NewReplacer("DIR", dir, "PAGE", filepath.Join(home, "page.html"), "HUMAN", human, "SHEET", sheet,
		"BASELINE", filepath.Join(home, "baseline.jsonl"))

	for _, c := range folderCommands {
		reads := !strings.HasPrefix(c, "runs")
		if refused && reads {
			continue // for the same reason
		}
		var out, errs bytes.Buffer
		code := Main(shellFields(places.Replace(c)), &out, &errs)
		if !slices.Contains([]int{exitOK, exitUsage, exitPartial, exitInput, exitBroken, exitCannotTell}, code) {
			t.Fatalf("%s: exit code %d: %s", c, code, errs.String())
		}
		refused = refused || c == "report DIR" && code == exitInput
		if out.Len() > 64<<20 {
			t.Fatalf("%s: printed %d bytes", c, out.Len())
		}
	}
	return refused
}

// writeHuman writes a person's verdict on the first question of the first answer.
func writeHuman(t *testing.T, verdicts []byte, path string) {
	t.Helper()
	line, _, _ := bytes.Cut(verdicts, []byte("\n"))
	var v struct {
		Retriever, Generator, Item string
		Questions                  []struct{ ID, Kind string }
		Verdicts                   []struct{ Label string }
	}
	_ = json.Unmarshal(line, &v) // nothing of a damaged one
	if len(v.Questions) == 0 || len(v.Verdicts) == 0 {
		v.Questions, v.Verdicts = append(v.Questions, struct{ ID, Kind string }{"q", "coverage"}), append(v.Verdicts, struct{ Label string }{"full"})
	}
	data, err := json.Marshal(map[string]any{"retriever": v.Retriever, "generator": v.Generator, "item": v.Item,
		"question": v.Questions[0].ID, "label": v.Verdicts[0].Label})
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Without a change, and with hashes made again or taken out, the folders are shown: or the
// fuzzing would try nothing but refusals.
func TestRunFoldersAreRead(t *testing.T) {
	for i, files := range smallRuns(t) {
		for hashes := range uint8(3) {
			all := maps.Clone(files)
			if hashes > 0 {
				all["manifest.json"] = resign(all, hashes == 2)
			}
			if refused := readFolder(t, all); refused {
				t.Errorf("run %d with hashes %d was refused", i, hashes)
			}
		}
	}
}
