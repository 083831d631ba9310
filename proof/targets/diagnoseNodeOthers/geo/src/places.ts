const places: Record<string, number> = { bergen: 0, bergamo: 1200, oslo: 300 };

export function placeOf(name: string): number {
  return places[name] ?? 0;
}
