'use strict';
/** Waits between its steps, so that tests that run at a time take turns. */
async function mix(colour, parts) {
  const made = [];
  for (let part = 0; part < parts; part++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    made.push(shade(colour, part));
  }
  return made;
}

function shade(colour, part) {
  return `${colour} ${part}`;
}

/** Its tests, with what a runner gives. */
function suite({ test, equal }) {
  for (const colour of ['red', 'blue', 'green'])
    test(`mixes ${colour}`, async () => {
      equal((await mix(colour, 3)).length, 3);
    });
}

module.exports = { mix, suite };
