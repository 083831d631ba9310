// Globals that hold values of types known only as it runs, maps and channels, which the program prints itself.
package main

/*
static int __attribute__((noinline)) look(int round) { return round; }
*/
import "C"
import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"time"
)

type point struct{ X, Y int32 }
type level int8
type shape interface{ area() int }
type square struct{ Side int }
type disc struct{ Radius int }
type named struct {
	Name  string
	Tags  map[string]bool
	Value any
}

func (s square) area() int    { return s.Side * s.Side }
func (d disc) area() int      { return 3 * d.Radius * d.Radius }
func (l level) Error() string { return "level" }

var (
	ages     = map[string]int{"ann": 31, "bob": 42}
	squares  = map[int]int{}
	many     = map[uint16]string{}
	marks    = map[string]struct{}{"x": {}, "y": {}}
	places   = map[point]point{{1, 2}: {3, 4}}
	large    = map[int]int{}
	noMap    map[string]int
	empty          = map[string]int{}
	wide           = map[int][20]int64{7: {1, 2}}
	failure  error = errors.New("broken pipe")
	missing  error = &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrNotExist}
	small    error = level(3)
	nothing  error
	number   any   = 42
	word     any   = "hällo"
	real     any   = 2.5
	corner   any   = point{5, 6}
	mapped   any   = map[string]int{"one": 1}
	side           = square{3}
	figure   shape = side
	roundOne shape = disc{2}
	figures        = []any{1, "two", nil, point{3, 4}}
	thing          = named{"n", map[string]bool{"a": true}, 7}
	queue          = make(chan int, 4)
	numbers        = []int{3, 1, 4}
	points         = []point{{1, 2}, {3, -4}}
	hosts          = map[string]any{"hosts": []any{"a", 2}}
	born           = time.Date(2024, 5, 17, 13, 4, 5, 678000000, time.UTC)
	old            = time.Date(1815, 12, 10, 0, 0, 0, 1, time.UTC)
	started        = readByTwoClocks(born)
	never    time.Time
	callback func(int) int
)

// The same moment as time.Now would have told it.
func readByTwoClocks(moment time.Time) time.Time {
	now := time.Now()
	return now.Add(moment.Sub(now))
}

func triple(x int) int { return 3 * x }

func show(round int, expr string, value any) {
	text, _ := json.Marshal(value)
	fmt.Printf("%d %s %s\n", round, expr, text)
}

type pair = [2]any

func pairs[K comparable, V any](of map[K]V) []pair {
	all := []pair{}
	for key, value := range of {
		all = append(all, pair{key, value})
	}
	sort.Slice(all, func(i, j int) bool { return fmt.Sprint(all[i]) < fmt.Sprint(all[j]) })
	return all
}

// As an interface is shown: the type's name with the value.
func of(value any) any {
	if value == nil {
		return nil
	}
	return map[string]any{fmt.Sprintf("%T", value): value}
}

func showAll(round int) {
	show(round, "main.ages", pairs(ages))
	show(round, "main.squares", pairs(squares))
	show(round, "main.many", pairs(many))
	show(round, "main.marks", pairs(marks))
	show(round, "main.places", pairs(places))
	show(round, "main.noMap", nil)
	show(round, "main.empty", pairs(empty))
	show(round, "len(main.ages)", len(ages))
	show(round, "len(main.many)", len(many))
	show(round, "main.small", of(small))
	show(round, "main.nothing", nil)
	show(round, "main.number", of(number))
	show(round, "main.word", of(word))
	show(round, "main.real", of(real))
	show(round, "main.corner", of(corner))
	show(round, "main.figure", of(figure))
	show(round, "main.figures", []any{of(figures[0]), of(figures[1]), of(figures[2]), of(figures[3])})
	show(round, "main.numbers", numbers)
	show(round, "main.points", points)
	show(round, "main.hosts", pairs(map[string]any{"hosts": map[string]any{"[]interface {}": []any{of("a"), of(2)}}}))
	show(round, "main.born", born)
	show(round, "main.old", old)
	show(round, "main.started", started.UTC())
	show(round, "main.never", never)
	show(round, "len(main.queue)", len(queue))
	show(round, "isNull(main.failure)", map[bool]int{true: 1}[failure == nil])
	C.look(C.int(round))
}

func main() {
	showAll(1)
	delete(ages, "bob")
	for i := range 6 {
		squares[i*i] = i
	}
	for i := range 40 {
		many[uint16(i)] = fmt.Sprint("text ", i)
	}
	for i := range 34 {
		delete(many, uint16(i))
	}
	for i := range 3000 {
		large[i] = i * 2
	}
	places[point{-1, -2}] = point{}
	delete(marks, "x")
	queue <- 5
	queue <- 6
	<-queue
	queue <- 7
	failure, number, word, small, figure = nil, uint8(200), []int{1, 2}, level(-3), nil
	figures[1] = figures[0]
	empty["now"] = 1
	callback, born = triple, born.Add(321*time.Millisecond)
	showAll(2)
	fmt.Println(noMap, wide, missing, mapped, thing, nothing, len(large), roundOne, side, hosts, callback(2))
}
