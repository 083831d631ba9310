const { Cart } = require('./cart');
const { wire } = require('./wire');

class Menu {
  constructor() {
    this.cart = new Cart();
    this.buttons = wire(this.cart);
  }

  press(label) {
    this.buttons.find((button) => button.label === label).press();
  }
}

module.exports = { Menu };
