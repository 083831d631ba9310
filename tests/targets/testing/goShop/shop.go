// Package shop forgets a discount.
package shop

func Total(prices []int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum
}

func Discount(total, percent int) int {
	return total - total*(percent/100)
}
