export function parseEvent(line) {
  const [time, kind, amount] = line.split(' ');
  return { time: Number(time), kind, amount: Number(amount) };
}
