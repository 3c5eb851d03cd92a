package build

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/datasets/stage"
	"lore/local"
	"lore/local/text"
)

// group is a point that stands for several others, by their numbers from 1.
type group struct {
	Text    string
	Members []int
}

var (
	originals = regexp.MustCompile(`\[([\d\s,;]+)\]`)
	numbers   = regexp.MustCompile(`\d+`)
)

// readGroups reads lines such as "Point 2: text [1, 4]". A line that begins no point
// goes on with the one before.
func readGroups(reply local.Reply) (groups []group, problem string) {
	body, problem := stage.Plain(reply)
	if problem != "" {
		return nil, problem
	}

	var blocks []string
	for line := range strings.Lines(body) {
		switch loc := pointStart.FindStringIndex(line); {
		case loc != nil:
			blocks = append(blocks, line[loc[1]:])
		case len(blocks) > 0:
			blocks[len(blocks)-1] += " " + line
		}
	}

	for _, b := range blocks {
		all := originals.FindAllStringSubmatchIndex(b, -1)
		if len(all) == 0 {
			continue // its originals are then in no point
		}

		last := all[len(all)-1] // brackets before it belong to the text
		g := group{Text: clean(tagNames.ReplaceAllString(b[:last[0]], " "))}
		for _, n := range numbers.FindAllString(b[last[2]:last[3]], -1) {
			v, err := strconv.Atoi(n)
			if err == nil {
				g.Members = append(g.Members, v)
			}
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 {
		return nil, fmt.Sprintf("%s: no point names its original points in brackets", local.BadFormat)
	}
	return groups, ""
}

// closedGroups is a list of groups that was cut without its last line, with the number of
// groups. Points that no group names stay as they are.
func closedGroups(text string) (whole string, groups int) {
	whole = text[:strings.LastIndexByte(text, '\n')+1]
	list, _ := readGroups(local.Reply{Outcome: local.OK, Text: whole})
	return whole, len(list)
}

// partition says how groups fail to hold each of n originals once; "" if they do.
func partition(groups []group, n int) string {
	times := make([]int, n+1)
	var unknown, twice, lost []string
	for _, g := range groups {
		for _, m := range g.Members {
			if m < 1 || m > n {
				unknown = append(unknown, strconv.Itoa(m))
			} else {
				times[m]++
			}
		}
	}

	for m := 1; m <= n; m++ {
		switch {
		case times[m] == 0:
			lost = append(lost, strconv.Itoa(m))
		case times[m] > 1:
			twice = append(twice, strconv.Itoa(m))
		}
	}

	var parts []string
	for _, p := range []struct {
		what string
		list []string
	}{{"in no point", lost}, {"in more than one point", twice}, {"not among the original points", unknown}} {
		if len(p.list) > 0 {
			parts = append(parts, strings.Join(p.list, ", ")+" "+p.what)
		}
	}
	return strings.Join(parts, "; ")
}

// repaired makes a partition of groups: an original stays in the first group that names
// it, and one that no group names is kept apart. A group without text takes that of its
// first original.
func repaired(groups []group, texts []string) []group {
	taken := make([]bool, len(texts)+1)
	var out []group
	for _, g := range groups {
		var members []int
		for _, m := range g.Members {
			if m >= 1 && m <= len(texts) && !taken[m] {
				taken[m] = true
				members = append(members, m)
			}
		}

		if len(members) == 0 {
			continue
		}
		if g.Text == "" {
			g.Text = texts[members[0]-1]
		}
		out = append(out, group{g.Text, members})
	}

	for m := 1; m <= len(texts); m++ {
		if !taken[m] {
			out = append(out, group{texts[m-1], []int{m}})
		}
	}
	return out
}

// sameWords is the share of common words from which a point with the same numbers says the same.
const sameWords = 0.5

// faithful takes those members out of groups of which a number is not in the group's text: that point
// would be lost. Each goes to the group that has its numbers and most of its words, if there is one, or
// stands by itself. moved are their numbers from 1.
func faithful(groups []group, texts []string) (out []group, moved []int) {
	for _, g := range groups {
		var members []int
		for _, m := range g.Members {
			if len(g.Members) > 1 && len(stage.LostFigures(texts[m-1], g.Text)) > 0 {
				moved = append(moved, m)
			} else {
				members = append(members, m)
			}
		}
		if len(members) > 0 {
			out = append(out, group{g.Text, members})
		}
	}

	for _, m := range moved {
		to := slices.IndexFunc(out, func(g group) bool {
			return len(stage.LostFigures(texts[m-1], g.Text)) == 0 && text.Overlap(texts[m-1], g.Text) >= sameWords
		})
		if to < 0 {
			out = append(out, group{texts[m-1], []int{m}})
		} else {
			out[to].Members = append(out[to].Members, m)
		}
	}
	return out, moved
}
