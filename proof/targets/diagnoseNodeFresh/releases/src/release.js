export function releaseFrom(line) {
  const [name, date] = line.split(' ');
  return { name, date };
}
