export function dayOf(text) {
  const date = new Date(text);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

function pad(number) {
  return String(number).padStart(2, '0');
}
