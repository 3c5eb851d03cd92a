package metric

// Groups lists the places of each group's values in order of appearance.
func Groups[T any](all []T, group func(T) string) [][]int {
	at := map[string]int{}
	var out [][]int
	for i, v := range all {
		name := group(v)
		k, ok := at[name]
		if !ok {
			k = len(out)
			at[name] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
