package tenants

import (
	"context"
	"testing"
)

func TestPlanOfTenant(t *testing.T) {
	got := Plan(With(context.Background(), "acme"))
	if got != "the plan acme/plan" {
		t.Errorf("got %q, want %q", got, "the plan acme/plan")
	}
}
