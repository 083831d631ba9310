import { settingsFor, type Settings } from './settings.ts';

export class Job {
  readonly settings: Settings;

  constructor(
    readonly name: string,
    wanted: Partial<Settings> = {},
  ) {
    this.settings = settingsFor(wanted);
  }
}
