const { archive } = require('./archive');

async function backup(disk, names) {
  const entries = await archive(disk, names);
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  return { ok: entries.length === names.length, size };
}

module.exports = { backup };
