const { emptyCells, place } = require('./cells');
const { History } = require('./history');

class Game {
  constructor() {
    this.cells = emptyCells();
    this.history = new History();
    this.turn = 'x';
  }

  play(at) {
    this.history.remember(this.cells);
    this.cells = place(this.cells, at, this.turn);
    this.turn = this.turn === 'x' ? 'o' : 'x';
  }

  undo() {
    this.cells = this.history.back();
    return this.cells;
  }
}

module.exports = { Game };
