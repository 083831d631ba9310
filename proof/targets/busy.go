// Works on all that moves goroutines about: stacks that grow, collections, signals, profiles, panics, children.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"syscall"
)

type node struct {
	Left, Right *node
	Name        string
	Values      []int
}

//go:noinline
func build(depth int) *node {
	if depth == 0 {
		return &node{Name: "leaf", Values: []int{1, 2, 3}}
	}
	return &node{build(depth - 1), build(depth - 1), fmt.Sprint("n", depth), make([]int, depth)}
}

//go:noinline
func (n *node) sum() int {
	if n == nil {
		return 0
	}
	s := 0
	for _, v := range n.Values {
		s += v
	}
	return s + n.Left.sum() + n.Right.sum()
}

//go:noinline
func grow(n int) int {
	var buf [256]byte
	buf[n%256] = byte(n)
	if n == 0 {
		return 0
	}
	return grow(n-1) + int(buf[n%256])
}

//go:noinline
func spin(n int) (x int) {
	for i := 0; i < n; i++ {
		x = x*31 + i
	}
	return
}

//go:noinline
func mayPanic(i int) (r int, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("recovered %v", e)
		}
	}()
	var p *node
	if i%7 == 0 {
		return len(p.Values), nil
	}
	if i%11 == 0 {
		panic(i)
	}
	return i, nil
}

//go:noinline
func encode(i int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	json.NewEncoder(w).Encode(map[string]any{"i": i, "s": strings.Repeat("x", i%50)})
	w.Close()
	r, _ := gzip.NewReader(&b)
	var m map[string]any
	json.NewDecoder(r).Decode(&m)
	return fmt.Sprint(m["i"])
}

func main() {
	rounds := 3
	fmt.Sscan(os.Args[1], &rounds)
	debug.SetGCPercent(20)
	var prof bytes.Buffer
	pprof.StartCPUProfile(&prof)
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				runtime.Gosched()
			}
		}
	}()
	sigs := make(chan os.Signal, 100)
	signal.Notify(sigs, syscall.SIGUSR1)
	total := 0
	var mu sync.Mutex
	for r := 0; r < rounds; r++ {
		var wg sync.WaitGroup
		for i := 0; i < 1000; i++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				t := grow(i%200) + spin(1000*(i%10))%7
				v, err := mayPanic(i)
				if err != nil {
					t += len(err.Error())
				}
				if i%50 == 0 {
					t += len(encode(i))
				}
				if i%100 == 0 {
					t += build(6).sum()
				}
				mu.Lock()
				total += t + v
				mu.Unlock()
			}()
		}
		syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		wg.Wait()
		<-sigs
		out, err := exec.Command("/bin/echo", "child", fmt.Sprint(r)).Output()
		fmt.Print(string(out))
		if err != nil {
			fmt.Println(err)
		}
	}
	close(stop)
	pprof.StopCPUProfile()
	words := strings.Fields("the quick brown fox jumps over the lazy dog")
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	fmt.Println(total, words, prof.Len() > 0)
}
