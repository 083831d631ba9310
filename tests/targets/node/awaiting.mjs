// Async functions that wait for each other, in which an editor stops.
const numbers = Array.from({ length: 1000 }, (_, i) => i * 2);

async function priced(count) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return numbers[count] ?? 0;
}

async function ordered(counts) {
  const prices = await Promise.all(counts.map((count) => priced(count)));
  return prices.reduce((sum, price) => sum + price, 0);
}

function parsed(text) {
  if (text === 'caught') throw new RangeError('caught');
  return JSON.parse(text);
}

console.log('sum', await ordered([3]));
try {
  parsed('caught');
} catch (error) {
  console.log(error.name);
}
setTimeout(() => parsed('nothing'), 1);
