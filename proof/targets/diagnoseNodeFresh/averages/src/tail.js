export function tail(values, count) {
  return values.slice(Math.max(0, values.length - count - 1));
}
