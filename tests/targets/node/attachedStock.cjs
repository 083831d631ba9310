class Stock {
  #counts = new Map([['bolt', 100]]);
  bolts = 100;

  count(name) {
    const count = this.#counts.get(name);
    return count;
  }

  take(name, count) {
    const before = this.count(name);
    if (before === undefined) throw new RangeError(`no ${name}`);
    this.#counts.set(name, before - count);
    this.bolts = before - count;
    return before - count;
  }
}

module.exports = { Stock };
