package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
)

// pictureHead are the columns of runs on a terminal. Where there is no room, the last ones go first.
var pictureHead = []string{"run", "benchmark", "done", "failed", "state", "left", "at"}

// Columns of pictureHead.
const (
	runColumn, doneColumn, stateColumn = 0, 2, 4
)

const (
	leastRun  = 10 // cells of a run's name that tell it from others
	betweenIt = 2  // cells between two columns
)

// statesInOrder is how runs stand in a picture.
var statesInOrder = []store.State{store.Running, store.Finished, store.Stopped}

// picture is a table of runs that fits a screen: no line of it is folded, and it has no more lines than
// there are. What has no room is counted in rest, a line.
func picture(list []listed, screen usage.Screen) (g datasets.Grid, rest string) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b listed) int {
		return cmp.Compare(slices.Index(statesInOrder, a.State), slices.Index(statesInOrder, b.State))
	})

	// The heading, the line of the rest, and the one below where the cursor stands.
	if room := max(1, screen.Height-3); screen.Height > 0 && len(list) > room+1 {
		list, rest = list[:room], restOf(list[room:])
	}
	rows := make([][]string, len(list))
	for i := range list {
		rows[i] = list[i].pictureRow()
	}
	return fitted(rows, screen), rest
}

// restOf counts runs by their states.
func restOf(list []listed) string {
	var parts []string
	for _, state := range statesInOrder {
		n := 0
		for _, l := range list {
			if l.State == state {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return "and " + strings.Join(parts, ", ")
}

// pictureRow is a run by the columns of pictureHead.
func (l *listed) pictureRow() []string {
	row := l.workRow()
	folder, state, benchmark, done, failed, at, left := row[0], row[1], row[2], row[3], row[4], row[5], row[6]
	if l.State == store.Finished {
		done = "100 %"
	}
	return []string{usage.Line(folder), usage.Line(benchmark), done, failed, state, left, usage.Line(at)}
}

// fitted has as many columns as fit, and shortens the names of runs from the left: their ends differ.
func fitted(rows [][]string, screen usage.Screen) datasets.Grid {
	for columns := len(pictureHead); ; columns-- {
		g := datasets.Grid{Head: pictureHead[:columns]}
		for _, row := range rows {
			g.Rows = append(g.Rows, cutRow(row, columns))
		}
		names, others := widthsOf(g, screen)
		left := screen.Width - 1 - others // a letter in the last column moves some terminals to the next line
		if screen.Width > 0 && left < min(names, leastRun) && columns > 1 {
			continue
		}

		if screen.Width == 0 {
			left = names
		}
		for _, row := range g.Rows {
			row[runColumn] = lastOf(row[runColumn], left, screen)
		}
		return g
	}
}

// cutRow is a row with its first columns. Without that of states, a run that was stopped says so in place
// of what is done of it.
func cutRow(row []string, columns int) []string {
	out := slices.Clone(row[:columns])
	if columns > doneColumn && columns <= stateColumn && row[stateColumn] == string(store.Stopped) {
		out[doneColumn] = row[stateColumn]
	}
	return out
}

// widthsOf are the cells of the longest name of a run, and those of all other columns with what is between.
func widthsOf(g datasets.Grid, screen usage.Screen) (names, others int) {
	for i, head := range g.Head {
		width := screen.Cells(head)
		for _, row := range g.Rows {
			width = max(width, screen.Cells(row[i]))
		}
		if i == runColumn {
			names = width
		} else {
			others += betweenIt + width
		}
	}
	return names, others
}

// lastOf is the end of a text in so many cells.
func lastOf(s string, cells int, screen usage.Screen) string {
	if screen.Cells(s) <= cells {
		return s
	}
	for s != "" && screen.Cells(s) > max(1, cells-1) {
		_, s = screen.First(s, 1)
	}
	return "…" + s
}
