const { copyWeek } = require('./copy');
const { weekTemplate } = require('./template');

class Week {
  constructor(number) {
    this.number = number;
    this.plan = copyWeek(weekTemplate());
  }

  dayNamed(day) {
    return this.plan.days.find((one) => one.day === day);
  }

  assign(day, name) {
    this.dayNamed(day).staff.push(name);
  }

  staffOn(day) {
    return this.dayNamed(day).staff;
  }
}

module.exports = { Week };
