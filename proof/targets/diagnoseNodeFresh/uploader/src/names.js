export function nameOf(index) {
  return `part-${index}.txt`;
}
