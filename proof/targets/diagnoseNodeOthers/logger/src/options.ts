export interface Options {
  level: string;
  tags: string[];
}

const defaults: Options = { level: 'info', tags: [] };

export function optionsFrom(given: Partial<Options> = {}): Options {
  return Object.assign(defaults, given);
}
