package forms

import "fmt"

type fault struct{ field string }

func (f *fault) Error() string { return "bad " + f.field }

// Submit stores a form that has no faults.
func Submit(name string, age int) string {
	if err := firstOf(name, age); err != nil {
		return "refused"
	}
	return stored(name, age)
}

func firstOf(name string, age int) error {
	var found *fault
	if name == "" {
		found = &fault{"name"}
	}
	if !isAge(age) {
		found = &fault{"age"}
	}
	return found
}

func isAge(age int) bool { return age > 0 && age < 150 }

func stored(name string, age int) string { return fmt.Sprintf("%s (%d)", name, age) }
