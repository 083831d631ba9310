const { Button } = require('./button');
const { dishAt, dishCount } = require('./dishes');

function wire(cart) {
  var buttons = [];
  for (var number = 0; number < dishCount(); number++) {
    var button = new Button(dishAt(number).name);
    button.onPress(function () {
      cart.add(dishAt(number));
    });
    buttons.push(button);
  }
  return buttons;
}

module.exports = { wire };
