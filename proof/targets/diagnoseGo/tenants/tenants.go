package tenants

import "context"

type key struct{}

// With says whose data are meant.
func With(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, key{}, tenant)
}

// Plan tells the plan of whoever asks.
func Plan(ctx context.Context) string {
	return describe(cached(ctx, "plan"))
}

func cached(ctx context.Context, name string) string {
	if ctx.Err() != nil {
		return ""
	}
	return read(context.Background(), name)
}

func read(ctx context.Context, name string) string {
	tenant, isKnown := ctx.Value(key{}).(string)
	if !isKnown {
		tenant = "public"
	}
	return tenant + "/" + name
}

func describe(text string) string { return "the plan " + text }
