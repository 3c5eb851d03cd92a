package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestLook takes pictures of a page by hand: LORE_LOOK is the file, LORE_LOOKS lines of
// name|width|scheme|address|script|whole.
func TestLook(t *testing.T) {
	file := os.Getenv("LORE_LOOK")
	if file == "" {
		t.Skip("LORE_LOOK names no page")
	}
	b := newBrowser(t)
	for _, line := range strings.Split(os.Getenv("LORE_LOOKS"), "\n") {
		f := strings.Split(line, "|")
		width := 0
		fmt.Sscan(f[1], &width)
		b.screen(width, f[2])
		start := time.Now()
		b.open(file, f[3])
		took := time.Since(start)
		if f[4] != "" {
			fmt.Println(eval[any](b, "(async () => {"+f[4]+"})()"))
		}
		time.Sleep(400 * time.Millisecond)
		b.shot(f[0], f[5] != "")
		fmt.Println(f[0], took)
	}
}
