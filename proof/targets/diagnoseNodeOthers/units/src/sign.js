const { format } = require('./imperial');

function sign(name, metres) {
  return `${name} ${format(metres)}`;
}

module.exports = { sign };
