package main

import (
	"fmt"
	"os"
	"plugin"
)

//go:noinline
func own(count int) int { return count * 2 }

// Loads a plugin by its path, calls its function, and ends.
func main() {
	loaded, err := plugin.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	found, err := loaded.Lookup("TripleOf")
	if err != nil {
		panic(err)
	}
	fmt.Println(own(1), found.(func(int) int)(2))
}
