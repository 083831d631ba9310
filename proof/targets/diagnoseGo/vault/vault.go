package vault

import (
	"errors"
	"sync"
)

type Vault struct {
	mu     sync.Mutex
	amount int
}

// Pay takes the first price that can be paid.
func Pay(v *Vault, prices []int) (int, error) {
	var err error
	for _, price := range prices {
		if err = take(v, price); err == nil {
			return price, nil
		}
	}
	return 0, err
}

func take(v *Vault, price int) error {
	if !v.mu.TryLock() {
		return errors.New("the vault is in use")
	}
	if !isCovered(v, price) {
		return errors.New("not enough")
	}
	v.amount -= price
	v.mu.Unlock()
	return nil
}

func isCovered(v *Vault, price int) bool { return v.amount >= price }
