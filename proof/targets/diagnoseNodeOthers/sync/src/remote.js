export class Remote {
  constructor(broken) {
    this.broken = broken;
  }

  async upload(name) {
    await Promise.resolve();
    if (name === this.broken) throw new Error(`${name} is too large`);
    return { name, stored: true };
  }
}
