// Computes in several goroutines while its CPU profile is written, and tells the sums.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
)

//go:noinline
func mix(seed, i int) int { return seed*31 ^ i }

//go:noinline
func round(seed, count int) int {
	for i := 0; i < count; i++ {
		seed = mix(seed, i) & 0xffffff
	}
	return seed
}

func main() {
	var profile bytes.Buffer
	if pprof.StartCPUProfile(&profile) != nil {
		os.Exit(1)
	}
	var all sync.WaitGroup
	sums := make([]int, 4)
	for g := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			for r := 0; r < 40; r++ {
				sums[g] += round(g*r, 20000)
			}
		}()
	}
	all.Wait()
	pprof.StopCPUProfile()
	fmt.Println(sums, profile.Len() > 100)
	os.Exit(4)
}
