// Package depot plans the ways on which orders are collected.
package depot

import (
	"strings"
	"sync"
)

// Order is what a customer asked for, and the shelf where it lies.
type Order struct {
	ID    string
	Shelf string
}

// Labels plans a route for each order and prints all labels at a time.
func Labels(orders []Order) []string {
	start := fromGate("gate", "scale")
	routes := make([][]string, len(orders))
	for i, order := range orders {
		routes[i] = extended(start, order.Shelf)
	}
	labels := make([]string, len(orders))
	var printing sync.WaitGroup
	for i, order := range orders {
		printing.Add(1)
		go func() {
			defer printing.Done()
			labels[i] = label(order.ID, routes[i])
		}()
	}
	printing.Wait()
	return labels
}

// fromGate has room for what most routes need.
func fromGate(stops ...string) []string {
	return append(make([]string, 0, 8), stops...)
}

func extended(route []string, stop string) []string {
	return append(route, stop)
}

func label(id string, route []string) string {
	return id + ": " + strings.Join(route, " > ")
}
