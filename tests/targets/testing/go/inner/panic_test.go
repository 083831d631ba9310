// A test that panics ends its whole package.
package inner

import (
	"testing"

	"example.com/area"
)

func TestPanics(t *testing.T) { area.Area(-1, 2) }
