const { checksum } = require('./checksum');
const { readPart } = require('./parts');

async function archive(disk, names) {
  const parts = await Promise.all(names.map((name) => readPart(disk, name)));
  return parts.map((text, at) => ({ name: names[at], size: text.length, sum: checksum(text) }));
}

module.exports = { archive };
