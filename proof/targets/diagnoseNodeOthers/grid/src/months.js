const { range } = require('./range');

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOf(month) {
  return range(1, days[month - 1]);
}

module.exports = { daysOf };
