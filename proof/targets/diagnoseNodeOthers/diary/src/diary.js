import { entry } from './entry.js';

export class Diary {
  #entries = [];

  write(date, text) {
    this.#entries.push(entry(date, text));
  }

  on(day) {
    return this.#entries.filter((one) => one.day === day).map((one) => one.text);
  }
}
