async function readPart(disk, name) {
  try {
    return await disk.read(name);
  } catch {
    return '';
  }
}

module.exports = { readPart };
