const assert = require('assert');
const { Menu } = require('../src/menu');

describe('the menu', function () {
  it('puts what was pressed into the cart', function () {
    const menu = new Menu();
    menu.press('soup');
    menu.press('cake');
    assert.deepStrictEqual(menu.cart.lines, ['soup', 'cake']);
  });
});
