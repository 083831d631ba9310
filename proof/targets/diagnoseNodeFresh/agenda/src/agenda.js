const { localDay } = require('./local');
const { aheadOf } = require('./places');

function byDay(events) {
  const days = new Map();
  for (const { title, at, place } of events) {
    const day = localDay(Date.parse(at), aheadOf(place));
    days.set(day, [...(days.get(day) ?? []), title]);
  }
  return days;
}

module.exports = { byDay };
