// Rounds that take about a millisecond each, for ever.
function part(number, factor) {
  if (number < 0) {
    return 0; // never
  }
  let sum = number;
  let product = sum * factor; // here
  sum += product;
  sum ^= number;
  product -= sum;
  sum += factor;
  return sum + product;
}

let number = 0;
setInterval(() => part(number++, 3), 1);
