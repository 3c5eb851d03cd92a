package gate

import "lore/local"

// phases groups the calls by model, and inside a group puts calls with an equal
// Prefix next to each other. Both orders are by first appearance, so the result
// depends on nothing but the input.
func phases(calls []local.Call) [][]int {
	type model struct{ backend, model, digest string }
	var order []model
	groups := map[model]*prefixGroups{}
	for i, c := range calls {
		m := model{c.Backend, c.Model, c.Digest}
		g := groups[m]
		if g == nil {
			g = &prefixGroups{at: map[string]int{}}
			groups[m] = g
			order = append(order, m)
		}
		g.add(c.Prefix, i)
	}

	out := make([][]int, len(order))
	for k, m := range order {
		for _, group := range groups[m].lists {
			out[k] = append(out[k], group...)
		}
	}
	return out
}

type prefixGroups struct {
	at    map[string]int
	lists [][]int
}

func (g *prefixGroups) add(prefix string, i int) {
	if prefix == "" {
		g.lists = append(g.lists, []int{i})
		return
	}
	at, ok := g.at[prefix]
	if !ok {
		at = len(g.lists)
		g.at[prefix] = at
		g.lists = append(g.lists, nil)
	}

	g.lists[at] = append(g.lists[at], i)
}
