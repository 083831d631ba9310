class Transport {
  constructor(blocked) {
    this.blocked = blocked;
    this.delivered = [];
  }

  async deliver(address) {
    await null;
    if (this.blocked.includes(address)) throw new Error(`${address} is blocked`);
    this.delivered.push(address);
  }
}

module.exports = { Transport };
