const { Week } = require('./week');

class Roster {
  constructor() {
    this.weeks = new Map();
  }

  week(number) {
    if (!this.weeks.has(number)) this.weeks.set(number, new Week(number));
    return this.weeks.get(number);
  }

  assign(number, day, name) {
    this.week(number).assign(day, name);
  }

  summary(number) {
    return this.week(number).plan.days.map(
      ({ day, staff }) => `${day}: ${staff.join(', ') || 'nobody'}`,
    );
  }
}

module.exports = { Roster };
