// Package area adds where it should multiply.
package area

func Area(width, height int) int {
	if width < 0 {
		panic("width below zero")
	}
	return width + height
}
