function checksum(text) {
  let sum = 0;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 65521;
  return sum;
}

module.exports = { checksum };
