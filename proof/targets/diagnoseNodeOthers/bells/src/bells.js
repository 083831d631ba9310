const { sound } = require('./sound');

function hang(clock, hours, heard) {
  for (var i = 0; i < hours.length; i++) {
    clock.at(hours[i], () => heard.push(sound(i)));
  }
}

module.exports = { hang };
