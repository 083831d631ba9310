// Goroutines that compute what is known, and say where they are in a file that nobody else writes (argument 1).
// Each wrong result ends the program with status 3. Ends when the first word of the file is not 0.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const workers = 4

// What a goroutine says of itself.
type slot struct {
	tid, rounds, from, i, parts, leafs uint64
	unused                             [2]uint64
}

type page struct {
	ended, knobs, threads uint64
	unused                [5]uint64
	slots                 [workers]slot
}

// Only the debugger sets them.
var knobs = struct {
	large int64
	small int32
}{1000, -7}

func leaf(own *slot, x int64) int64 {
	atomic.AddUint64(&own.leafs, 1)
	return x*3 + 1
}

func part(own *slot, x int64, kept *int64) int64 {
	atomic.AddUint64(&own.parts, 1)
	sum := leaf(own, x)
	sum += leaf(own, x+1)
	*kept = sum
	if sum%2 == 0 {
		sum -= 4
	}
	return sum
}

func whole(own *slot, from int64) int64 {
	var sum, kept int64
	for i := int64(0); i < 8; i++ {
		atomic.StoreUint64(&own.i, uint64(i))
		sum += part(own, from+i, &kept)
		sum ^= kept
	}
	return sum
}

func expected(from int64) int64 {
	var sum int64
	for i := int64(0); i < 8; i++ {
		kept := 6*(from+i) + 5
		one := kept
		if one%2 == 0 {
			one -= 4
		}
		sum += one
		sum ^= kept
	}
	return sum
}

// The number that Go gives the goroutine that asks.
func number() uint64 {
	stack := make([]byte, 64)
	words := bytes.Fields(stack[:runtime.Stack(stack, false)])
	found, _ := strconv.ParseUint(string(words[1]), 10, 64)
	return found
}

func work(all *page, at int) {
	own := &all.slots[at]
	atomic.StoreUint64(&own.tid, number())
	for from := int64(at); atomic.LoadUint64(&all.ended) == 0; from = (from + 7) % 10007 {
		atomic.StoreUint64(&own.from, uint64(from))
		if whole(own, from) != expected(from) {
			os.Exit(3)
		}
		atomic.AddUint64(&own.rounds, 1)
		time.Sleep(500 * time.Microsecond)
	}
}

func main() {
	file, err := os.OpenFile(os.Args[1], os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil || file.Truncate(4096) != nil {
		os.Exit(2)
	}
	bytes, err := syscall.Mmap(int(file.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		os.Exit(2)
	}
	all := (*page)(unsafe.Pointer(&bytes[0]))
	all.knobs = uint64(uintptr(unsafe.Pointer(&knobs)))
	atomic.StoreUint64(&all.threads, workers)
	var group sync.WaitGroup
	for at := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			work(all, at)
		}()
	}
	group.Wait()
	fmt.Println("right")
}
