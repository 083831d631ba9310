// Contexts, times, durations, channels and errors as arguments and results.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

type key string

type outOf struct{ Low, High, Got int }

func (o *outOf) Error() string { return "out of limits" }

//go:noinline
func withContext(ctx context.Context) bool { return ctx.Err() == nil }

//go:noinline
func later(at time.Time, by time.Duration) time.Time { return at.Add(by) }

//go:noinline
func waiting(ch chan string) int { return len(ch) }

//go:noinline
func failing(n int) error {
	switch n {
	case 0:
		return errors.New("plain")
	case 1:
		return fmt.Errorf("load: %w", errors.New("inner"))
	case 2:
		_, err := os.Open("/does/not/exist")
		return err
	case 3:
		return &outOf{1, 9, 12}
	}
	return nil
}

func main() {
	user := context.WithValue(context.Background(), key("user"), "ann")
	limited, stop := context.WithDeadline(user, time.Date(2200, 1, 2, 3, 4, 5, 0, time.UTC))
	reason, cancel := context.WithCancelCause(limited)
	fmt.Println(withContext(user), withContext(limited), withContext(reason))
	cancel(errors.New("because"))
	fmt.Println(withContext(reason))
	stop()
	born := time.Date(2024, 5, 17, 13, 4, 5, 0, time.UTC)
	for _, by := range []time.Duration{0, -1, 1500, 20 * time.Millisecond, 90 * time.Second, 90*time.Minute + 1} {
		fmt.Println(by, later(born, by).Format(time.RFC3339Nano))
	}
	words := make(chan string, 2)
	words <- "x"
	fmt.Println(waiting(words))
	close(words)
	fmt.Println(waiting(words), waiting(nil))
	for n := 0; n < 5; n++ {
		fmt.Println(failing(n))
	}
}
