// A cart whose total forgets the count.
exports.Cart = class Cart {
  items = [];
  add(name, price, count = 1) {
    if (price < 0) throw new RangeError(`price below zero: ${price}`);
    this.items.push({ name, price, count });
  }
  total() {
    return this.items.reduce((sum, { price }) => sum + price, 0);
  }
};
