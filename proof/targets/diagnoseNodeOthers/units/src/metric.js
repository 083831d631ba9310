function format(metres) {
  return metres >= 1000 ? `${metres / 1000} km` : `${metres} m`;
}

module.exports = { format };
