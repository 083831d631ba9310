// Rests time after time.
package main

import "time"

//go:noinline
func rests(turn int) int {
	time.Sleep(2 * time.Millisecond)
	return turn
}

func main() {
	for turn := 0; ; turn++ {
		rests(turn)
	}
}
