package main

//go:noinline
func add(a, b int) int { return a + b }

func main() {
	println("sum", add(1, 2))
}
