export interface Settings {
  retries: number;
  delay: number;
}

const usual: Settings = { retries: 2, delay: 10 };

export function settingsFor(wanted: Partial<Settings>, base: Settings = usual): Settings {
  return Object.assign(base, wanted);
}
