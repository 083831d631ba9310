// Says `ready`; then for each line what it costs, by a function whose first instruction reads where a pointer points.
package main

import (
	"bufio"
	"fmt"
	"os"
)

type item struct{ price int }

//go:noinline
func priceOf(thing *item) int { return thing.price }

//go:noinline
func twice(price int) int { return price * 2 }

func main() {
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println("done", twice(priceOf(&item{price: len(lines.Text())})))
	}
	os.Exit(3)
}
