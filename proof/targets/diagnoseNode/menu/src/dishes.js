const dishes = [
  { name: 'soup', price: 4 },
  { name: 'pasta', price: 9 },
  { name: 'cake', price: 5 },
];

function dishAt(number) {
  return dishes[number];
}

function dishCount() {
  return dishes.length;
}

module.exports = { dishAt, dishCount };
