package page

import (
	"bytes"
	"strings"
	"testing"

	"lore/datasets"
)

// The page of tables is one file that runs no script and fetches nothing, and shows texts as they are.
func TestTablesPage(t *testing.T) {
	tables := Tables{Title: "Scores", About: "what it is", Grids: []datasets.Grid{
		{Title: "One <b>", Head: []string{"model", "R-1", "said"}, Rows: [][]string{{"a<script>", "12.5 [1, 2]", "x"}, {"b", "–", "y"}}, Note: "in percent"},
		{Title: "Empty", Head: []string{"nothing"}},
		{Head: []string{"model"}, Rows: [][]string{{"c"}}},
	}}
	var one, two bytes.Buffer
	if err := tables.Write(&one); err != nil {
		t.Fatal(err)
	}
	if err := tables.Write(&two); err != nil {
		t.Fatal(err)
	}
	if one.String() != two.String() {
		t.Error("equal tables give other bytes")
	}

	got := one.String()
	for _, want := range []string{
		`<h2 id="table-1">One &lt;b&gt;</h2>`, `<th scope="row">a&lt;script&gt;</th>`, `<td class="number">12.5 [1, 2]</td>`,
		`<td>x</td>`, `<h2 id="table-2">Figures</h2>`, `<p class="note">in percent</p>`, `default-src &#39;none&#39;`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	for _, never := range []string{"<script", "Empty", "http"} {
		if _, body, _ := strings.Cut(got, "</style>"); strings.Contains(body, never) {
			t.Errorf("%s is in the page", never)
		}
	}
}
