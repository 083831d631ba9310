import { optionsFrom, type Options } from './options.ts';

export class Logger {
  readonly options: Options;

  constructor(given?: Partial<Options>) {
    this.options = optionsFrom(given);
  }

  line(text: string): string {
    return `${this.options.level}: ${text}`;
  }
}
