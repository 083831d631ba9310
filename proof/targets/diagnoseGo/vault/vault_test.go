package vault

import "testing"

func TestSecondPriceIsPaid(t *testing.T) {
	price, err := Pay(&Vault{amount: 10}, []int{12, 7})
	if price != 7 {
		t.Errorf("price = %d (%v), want 7", price, err)
	}
}
