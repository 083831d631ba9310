// Panics of many kinds, recovered and not. Argument: the one that ends it.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

type ConfigError struct {
	Path string
	Line int
}

func (e *ConfigError) Error() string { return e.Path + " is bad" }

//go:noinline
func index(xs []int, i int) int { return xs[i] }

type node struct {
	next  *node
	value int
}

//go:noinline
func deref(n *node) int { return n.value }

//go:noinline
func work(kind string) {
	switch kind {
	case "text":
		panic("boom")
	case "error":
		panic(errors.New("an error"))
	case "wrapped":
		panic(fmt.Errorf("outer: %w", errors.New("inner")))
	case "own":
		panic(&ConfigError{"a.conf", 7})
	case "int":
		panic(42)
	case "index":
		index([]int{1, 2, 3}, 5)
	case "nil":
		deref(nil)
	case "nilpanic":
		panic(nil)
	case "map":
		var m map[string]int
		m["x"] = 1
	case "divide":
		var zero int
		fmt.Println(1 / zero)
	case "assert":
		var x any = "s"
		fmt.Println(x.(int))
	}
}

//go:noinline
func through(kind string) { defer fmt.Println("leaving", kind); work(kind) }

//go:noinline
func guarded(kind string) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("recovered", r)
		}
	}()
	through(kind)
}

func handle() {
	if r := recover(); r != nil {
		fmt.Println("handled", r)
	}
}

//go:noinline
func again() {
	defer handle()
	defer func() {
		if r := recover(); r != nil {
			panic(r)
		}
	}()
	work("text")
}

//go:noinline
func replaced() {
	defer handle()
	defer func() { panic("second") }()
	panic("first")
}

func main() {
	for _, kind := range []string{"text", "error", "wrapped", "own", "int", "index", "nil", "nilpanic", "map", "divide", "assert"} {
		guarded(kind)
	}
	again()
	replaced()
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); guarded("text") }()
	go func() { defer wg.Done(); runtime.Goexit() }()
	wg.Wait()
	if len(os.Args) > 1 {
		work(os.Args[1])
	}
}
