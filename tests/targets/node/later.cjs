class Late {}

exports.extra = function extra({ round }) {
  return Object.assign(new Late(), { round });
};
