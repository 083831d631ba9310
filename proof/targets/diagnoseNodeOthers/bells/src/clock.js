class Clock {
  constructor() {
    this.waiting = [];
  }

  at(hour, ring) {
    this.waiting.push({ hour, ring });
  }

  strike(hour) {
    for (const { hour: due, ring } of this.waiting) if (due === hour) ring();
  }
}

module.exports = { Clock };
