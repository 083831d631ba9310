exports.extra = function extra({ round }) {
  return { round };
};
