exports.half = function half(x) {
  return x / 2;
};
