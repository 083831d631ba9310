export function compare(one, other) {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}
