class Disk {
  constructor(files) {
    this.files = files;
  }

  async read(name) {
    await Promise.resolve();
    const text = this.files[name];
    if (text === undefined) throw new Error(`no file ${name}`);
    return text;
  }
}

module.exports = { Disk };
