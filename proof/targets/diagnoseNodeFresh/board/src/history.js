class History {
  constructor() {
    this.states = [];
  }

  remember(cells) {
    this.states.push(cells);
  }

  back() {
    return this.states.pop();
  }
}

module.exports = { History };
