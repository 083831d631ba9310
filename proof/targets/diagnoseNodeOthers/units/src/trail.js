const { sign } = require('./sign');

function signs(stops) {
  return stops.map(({ name, metres }) => sign(name, metres));
}

module.exports = { signs };
