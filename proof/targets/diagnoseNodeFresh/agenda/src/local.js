const minute = 60_000;

/** The day it is there, whose clocks are so many minutes ahead of UTC. */
function localDay(instant, aheadMinutes) {
  return new Date(instant - aheadMinutes * minute).toISOString().slice(0, 10);
}

module.exports = { localDay };
