import { scaled } from './scale.mjs';

export const unit = 1;
export const area = (width, height) => scaled(width * height);

export class Shape {
  #corners = 4;
  static made = 0;
  constructor(name) {
    this.name = name;
    Shape.made++;
  }
  get label() {
    return `${this.name} of ${this.#corners}`;
  }
  describe() {
    return `<${this.label}>`;
  }
}
