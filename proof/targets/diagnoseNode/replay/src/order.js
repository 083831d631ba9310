export function inOrder(events) {
  const times = events.map((event) => event.time).sort();
  return times.map((time) => events.find((event) => event.time === time));
}
