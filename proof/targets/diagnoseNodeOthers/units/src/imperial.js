function format(metres) {
  const feet = Math.round(metres * 3.28);
  return feet >= 5280 ? `${(feet / 5280).toFixed(1)} mi` : `${feet} ft`;
}

module.exports = { format };
