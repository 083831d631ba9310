function copyWeek(week) {
  return { ...week, days: [...week.days] };
}

module.exports = { copyWeek };
