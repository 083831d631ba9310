class Store {
  constructor() {
    this.messages = new Map();
  }

  async put(id, message) {
    await Promise.resolve();
    this.messages.set(id, message);
  }

  async get(id) {
    await Promise.resolve();
    return this.messages.get(id);
  }

  async count() {
    await Promise.resolve();
    return this.messages.size;
  }
}

module.exports = { Store };
