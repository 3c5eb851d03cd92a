// Fitlexical fits the lexical judge on public labels of people and writes the weights, with
// what each set of labels gets when it takes no part, to fitted.json.
//
//	go run ./datasets/summhay/internal/fitlexical -labels ../shared/data/labels \
//		-summhay ../shared/data/summhay/human_coverage_labels_dev.json -out judge/lexical/fitted.json
//
// Weights come from a ridge over differences from the mean of each set, so that sets of
// different strictness agree: weights that all kinds of question share, and what a kind's
// differ from them. Offsets and thresholds come from levels. Everything, penalties too, is
// chosen without the rows that a figure is measured on.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lore/judge/lexical"
	"lore/local/files"
)

func main() {
	labels := flag.String("labels", "", "folder of label files")
	published := flag.String("summhay", "", "SummHay's human labels of the published format")
	out := flag.String("out", "", "file to write; only the table is printed if empty")
	flag.Parse()

	sets, digest, err := readSets(*labels, *published)
	if err != nil {
		log.Fatal(err)
	}
	f := fitAll(sets, digest)
	printTable(f)
	if *out == "" {
		return
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		log.Fatal(err)
	}
	if err := files.WriteFile(*out, buf.Bytes()); err != nil {
		log.Fatal(err)
	}
}

// readSets reads all sets but those in other languages, and digests what it read.
func readSets(folder, published string) ([]*set, string, error) {
	s, err := readSummHay(published)
	if err != nil {
		return nil, "", err
	}
	sets, all := []*set{s}, sha256.New()
	paths, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(paths) == 0 {
		return nil, "", fmt.Errorf("%s: no label files: %w", folder, os.ErrNotExist)
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "nomiracl") {
			continue
		}
		s, err := readSet(path)
		if err != nil {
			return nil, "", err
		}
		sets = append(sets, s)
	}
	for _, path := range append([]string{published}, paths...) {
		data, err := files.Bytes(path, "")
		if err != nil {
			return nil, "", err
		}
		all.Write(data)
	}
	for _, s := range sets {
		s.prepare()
	}
	return sets, hex.EncodeToString(all.Sum(nil)), nil
}

func printTable(f lexical.Fitted) {
	fmt.Println("Pearson of the score with people's labels, and bias of the labels, by set:")
	fmt.Printf("%-14s %-14s %5s %7s %7s %8s %8s %7s %6s\n", "set", "kind", "n", "before", "nested", "left out", "labels", "bias", "after")
	bias, after := 0.0, 0.0
	for _, s := range f.Sets {
		fmt.Printf("%-14s %-14s %5d %7.3f %7.3f %8.3f %8.3f %7.3f %6.3f\n",
			s.Set, s.Kind, s.N, s.Before, s.Nested, s.LeftOut, s.Labels, s.Bias, s.After)
		bias, after = bias+math.Abs(s.Bias)/float64(len(f.Sets)), after+s.After/float64(len(f.Sets))
	}
	fmt.Printf("mean size of the bias %.3f, after 100 labels %.3f\n", bias, after)
	for _, s := range f.Sets {
		if price := s.Ungated - s.Nested; math.Abs(price) >= 0.0005 {
			fmt.Printf("%s: gates cost %.3f\n", s.Set, price)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Texts)) {
			fmt.Printf("%s, %s: %.3f, labels %.3f\n", s.Set, name, s.Texts[name], s.TextsSay[name])
		}
		if s.Systems > 0 {
			fmt.Printf("%s: Kendall tau-b of %d systems %.3f\n", s.Set, s.Systems, s.SystemTau)
		}
	}
	for _, p := range f.Pairs {
		fmt.Printf("lexical+%s: %.3f for %.2f of the calls, calibrated %.3f, at half of the calls %.3f; alone %.3f\n",
			p.With, p.Default, p.Asked, p.Calibrated, p.Half, p.Alone)
	}
	fmt.Printf("SummHay: linking %.3f (n %d), all %.3f, of labels %.3f, bias %.3f\n",
		f.CV.LinkingAccuracy, f.CV.LinkingN, f.CV.LinkingAll, f.CV.Pearson, f.CV.Bias)
}
