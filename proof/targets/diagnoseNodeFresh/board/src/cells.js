function emptyCells() {
  return Array.from({ length: 4 }, () => '');
}

function place(cells, at, mark) {
  cells[at] = mark;
  return cells;
}

module.exports = { emptyCells, place };
