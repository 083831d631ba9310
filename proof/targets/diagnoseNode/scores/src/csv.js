export function rowsOf(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
}
