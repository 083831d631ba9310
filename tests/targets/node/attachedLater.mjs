export function twice(count) {
  return count * 2;
}
