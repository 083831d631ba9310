// Rounds that take about a millisecond each, for ever.
package main

import "time"

//go:noinline
func part(number, factor int) int {
	if number < 0 {
		return 0 // never
	}
	sum := number
	product := sum * factor // here
	sum += product
	sum ^= number
	product -= sum
	sum += factor
	return sum + product
}

func main() {
	for i := 0; ; i++ {
		part(i, 3)
		time.Sleep(time.Millisecond)
	}
}
