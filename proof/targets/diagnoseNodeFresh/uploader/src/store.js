export class Store {
  constructor() {
    this.files = new Map();
  }

  async write(name, text) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.files.set(name, text);
  }

  count() {
    return this.files.size;
  }
}
