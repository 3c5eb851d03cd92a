// Command gen writes the test models into a folder, for golden.mjs and for trying
// lore's dense retrieval by hand.
//
//	go run ./embed/testmodel/gen DIR [KIND...]
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"lore/embed/testmodel"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: gen DIR [KIND...]")
		os.Exit(2)
	}

	kinds := slices.Concat(testmodel.Small, testmodel.Entailment, testmodel.Rerankers, []testmodel.Kind{testmodel.SPLADE})
	if len(os.Args) > 2 {
		kinds = nil
		for _, k := range os.Args[2:] {
			kinds = append(kinds, testmodel.Kind(k))
		}
	}

	for _, k := range kinds {
		if err := testmodel.Write(filepath.Join(os.Args[1], string(k)), k); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
