exports.twice = function twice(n) {
  return n * 2;
};
