function parse(line) {
  const at = line.indexOf(' ');
  return { id: line.slice(0, at), text: line.slice(at + 1) };
}

module.exports = { parse };
