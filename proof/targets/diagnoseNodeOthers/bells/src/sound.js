function sound(number) {
  return `bell ${number}`;
}

module.exports = { sound };
