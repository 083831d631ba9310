const { daysOf } = require('./months');

function weeks(month, firstDay) {
  const cells = [...new Array(firstDay).fill(null), ...daysOf(month)];
  const found = [];
  for (let at = 0; at < cells.length; at += 7) found.push(cells.slice(at, at + 7));
  return found;
}

module.exports = { weeks };
