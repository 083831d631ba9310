function range(from, to) {
  const numbers = [];
  for (let at = from; at < to; at++) numbers.push(at);
  return numbers;
}

module.exports = { range };
