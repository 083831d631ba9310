package relay

import "time"

type leg struct {
	Name string
	Ms   int
}

// Results tells the legs in the order in which they were given.
func Results(names []string) []string {
	return runAll(legsOf(names))
}

func legsOf(names []string) []leg {
	var legs []leg
	for i, name := range names {
		legs = append(legs, leg{name, 40 - 20*i})
	}
	return legs
}

func runAll(legs []leg) []string {
	done := make(chan string)
	for _, one := range legs {
		go func() { done <- run(one) }()
	}
	var told []string
	for range legs {
		told = append(told, <-done)
	}
	return told
}

func run(one leg) string {
	time.Sleep(time.Duration(one.Ms) * time.Millisecond)
	return one.Name
}
