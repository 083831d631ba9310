class Cart {
  constructor() {
    this.lines = [];
  }

  add(dish) {
    this.lines.push(dish ? dish.name : 'unknown dish');
  }
}

module.exports = { Cart };
