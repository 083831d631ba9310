class Button {
  constructor(label) {
    this.label = label;
    this.listeners = [];
  }

  onPress(listener) {
    this.listeners.push(listener);
  }

  press() {
    for (const listener of this.listeners) listener();
  }
}

module.exports = { Button };
