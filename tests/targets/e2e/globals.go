// Globals of every kind, which the program prints itself as expressions of watches read them.
package main

/*
static int __attribute__((noinline)) look(int round) { return round; }
*/
import "C"
import (
	"errors"
	"fmt"
	"time"
)

type title string
type counts []int16

type point struct{ X, Y int32 }

type order struct {
	Id    int
	Name  string
	Parts []uint8
	Next  *order
	At    point
	Done  bool
}

type looksLikeString struct {
	str *uint8
	len int
}

var (
	text     = "hällo wörld"
	part     = text[3:6]
	none     string
	named    = title("a title")
	numbers  = []int{3, 1, 4}
	few      = counts{-7, 8}
	noSlice  []string
	words    = []string{"ab", "", "cde"}
	points   = []point{{1, 2}, {3, -4}}
	parts    = []uint8{9, 200}
	first    = order{7, "seven", parts, nil, point{5, 6}, true}
	last     = &order{8, "eight", nil, &first, point{}, false}
	nobody   *order
	grid           = [3]int{7, 8, 9}
	ages           = map[string]int{"ann": 31, "bob": 42}
	failure  error = errors.New("broken pipe")
	anything any   = 42
	flag           = true
	ratio          = 0.75
	small          = float32(1.5)
	letter         = 'x'
	octet          = byte(200)
	far            = uint64(1<<63 + 5)
	wait           = 3 * time.Second
	fake           = looksLikeString{nil, 3}
)

func show(round int) {
	fmt.Printf("%d main.text %q\n", round, text)
	fmt.Printf("%d main.part %q\n", round, part)
	fmt.Printf("%d main.none %q\n", round, none)
	fmt.Printf("%d main.named %q\n", round, named)
	fmt.Printf("%d main.words[2] %q\n", round, words[2])
	fmt.Printf("%d main.words[1] %q\n", round, words[1])
	fmt.Printf("%d main.first.Name %q\n", round, first.Name)
	fmt.Printf("%d main.last.Name %q\n", round, last.Name)
	fmt.Printf("%d main.last.Next.Name %q\n", round, last.Next.Name)
	fmt.Printf("%d len(main.text) %d\n", round, len(text))
	fmt.Printf("%d len(main.numbers) %d\n", round, len(numbers))
	fmt.Printf("%d len(main.noSlice) %d\n", round, len(noSlice))
	fmt.Printf("%d len(main.first.Parts) %d\n", round, len(first.Parts))
	fmt.Printf("%d len(main.numbers)*2+1 %d\n", round, len(numbers)*2+1)
	fmt.Printf("%d main.numbers[2] %d\n", round, numbers[2])
	fmt.Printf("%d main.few[0] %d\n", round, few[0])
	fmt.Printf("%d main.points[1].Y %d\n", round, points[1].Y)
	fmt.Printf("%d main.first.Parts[1] %d\n", round, first.Parts[1])
	fmt.Printf("%d main.last.Next.At.Y %d\n", round, last.Next.At.Y)
	fmt.Printf("%d main.last.Done %t\n", round, last.Done)
	fmt.Printf("%d main.grid[2] %d\n", round, grid[2])
	fmt.Printf("%d main.flag %t\n", round, flag)
	fmt.Printf("%d main.ratio %g\n", round, ratio)
	fmt.Printf("%d main.small %g\n", round, small)
	fmt.Printf("%d main.letter %d\n", round, letter)
	fmt.Printf("%d main.octet %d\n", round, octet)
	fmt.Printf("%d main.wait %q\n", round, wait)
	fmt.Printf("%d main.fake.len %d\n", round, fake.len)
	C.look(C.int(round))
}

func main() {
	show(1)
	text, part, named = text+"!", "in C", ""
	numbers = append(numbers, 15, 9)
	words[2], first.Name, last.Done = "cd", "sieben", true
	points[1].Y, flag, ratio, small, octet = 40, false, -2.5, 0.1, 255
	first.Parts = first.Parts[:2:2]
	show(2)
	fmt.Println(nobody, ages, failure, anything, far)
}
