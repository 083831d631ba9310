package main

//go:noinline
func inner(count int) int { return count + count }

//go:noinline
func TripleOf(count int) int { return count + inner(count) }

func main() {}
