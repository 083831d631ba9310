import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../base/nearest.ts';
import type { Outcome, Problem } from '../model/problem.ts';
import {
  isSettingName,
  projectMayLower,
  settingNames,
  settingsSchema,
  settingVariable,
  type SettingName,
  type Settings,
} from '../protocol/settings.ts';

/** A settings file is small; a bigger one is not one. */
const largestFile = 1 << 20;

type Values = Partial<Record<SettingName, unknown>>;

/**
 * Defaults, then `<home>/settings.json`, then the project's `.strobe/settings.json` (which may
 * only lower limits), then the environment. What cannot be used is a problem and has no effect.
 */
export function loadSettings(places: {
  readonly homeFile: string;
  readonly projectRoot?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Outcome<Settings> {
  const problems: Problem[] = [];
  const values: Values = settingsSchema.parse({});
  Object.assign(values, readFile(places.homeFile, problems));
  if (places.projectRoot !== undefined) {
    const file = join(places.projectRoot, '.strobe', 'settings.json');
    Object.assign(values, narrowed(readFile(file, problems), values, file, problems));
  }
  Object.assign(values, fromEnvironment(places.env, problems));
  return { value: settingsSchema.parse(values), problems };
}

function readFile(file: string, problems: Problem[]): Values {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {}; // A settings file need not exist.
  }
  const content = parseObject(text);
  if (content === null) {
    problems.push({
      code: 'BAD_SETTING',
      subject: file,
      detail: 'it is not a JSON object, and was not used',
    });
    return {};
  }
  const values: Values = {};
  for (const [name, value] of Object.entries(content)) {
    if (name === '$schema') continue;
    if (!isSettingName(name)) {
      const [close] = nearest(name, settingNames);
      const hint = close === undefined ? '' : `; did you mean "${close}"?`;
      problems.push({
        code: 'BAD_SETTING',
        subject: name,
        detail: `${file}: there is no such setting${hint}`,
      });
      continue;
    }
    accept(name, value, file, values, problems);
  }
  return values;
}

function parseObject(text: string): object | null {
  if (text.length > largestFile) return null;
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null && !Array.isArray(content)
      ? content
      : null;
  } catch {
    return null;
  }
}

function accept(
  name: SettingName,
  value: unknown,
  from: string,
  values: Values,
  problems: Problem[],
): void {
  const result = settingsSchema.shape[name].safeParse(value);
  if (result.success) values[name] = result.data;
  else {
    const detail = `${from}: ${result.error.issues[0]?.message ?? 'wrong value'}`;
    problems.push({ code: 'BAD_SETTING', subject: name, detail });
  }
}

function narrowed(wanted: Values, current: Values, file: string, problems: Problem[]): Values {
  const values: Values = {};
  for (const name of settingNames) {
    const value = wanted[name];
    if (value === undefined) continue;
    const limit = current[name];
    if (!projectMayLower.includes(name)) {
      problems.push({
        code: 'BAD_SETTING',
        subject: name,
        detail: `${file}: only your own settings file may set it`,
      });
    } else if (typeof value === 'number' && typeof limit === 'number' && value > limit) {
      problems.push({
        code: 'BAD_SETTING',
        subject: name,
        detail: `${file}: a project may only lower it (now ${limit})`,
      });
    } else values[name] = value;
  }
  return values;
}

function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): Values {
  const values: Values = {};
  const defaults = settingsSchema.parse({});
  for (const name of settingNames) {
    const variable = settingVariable(name);
    const text = env[variable];
    if (text === undefined || text === '') continue;
    const value = typeof defaults[name] === 'number' ? Number(text) : text;
    accept(name, value, variable, values, problems);
  }
  return values;
}
