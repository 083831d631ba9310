const { parse } = require('./parse');

async function importAll(store, lines) {
  lines.forEach(async (line) => {
    const { id, text } = parse(line);
    await store.put(id, text);
    await store.put(`${id}/read`, false);
  });
}

module.exports = { importAll };
