import { join } from 'node:path';
import { nearest } from '../base/nearest.ts';
import { realPath } from '../base/paths.ts';
import { readSmallFile } from '../base/smallFile.ts';
import type { Outcome, Problem } from '../model/problem.ts';
import {
  isSettingName,
  projectMay,
  settingNames,
  settingsSchema,
  settingVariable,
  type SettingName,
  type Settings,
} from '../protocol/settingsSchema.ts';

/** A settings file is small; a bigger one is not one. */
const maxBytes = 1 << 20;

/** Variables of ours that are no settings. */
const otherVariables: readonly string[] = ['STROBE_HOME'];

type Values = Partial<Record<SettingName, unknown>>;

/** One layer: what it sets, and where each of it stands. */
interface Layer {
  readonly values: Values;
  readonly place: (name: string) => string;
}

/**
 * Defaults, then `<home>/settings.json`, then the project's `.strobe/settings.json` (which may
 * only narrow), then the environment. What cannot be used is a problem and has no effect.
 */
export function loadSettings(places: {
  readonly homeFile: string;
  readonly projectRoot?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Outcome<Settings> {
  const problems: Problem[] = [];
  const values: Values = settingsSchema.parse({});
  Object.assign(values, readFile(places.homeFile, 'follow', problems).values);
  const projectFile = ownFileOf(places.projectRoot, places.homeFile);
  if (projectFile !== null) {
    const layer = readFile(projectFile, 'refuse', problems);
    Object.assign(values, narrowed(layer, values, problems));
  }
  Object.assign(values, fromEnvironment(places.env, problems));
  const value = settingsSchema.parse(values);
  const told = problems.map((problem) => {
    const name = problem.subject;
    if (!isSettingName(name)) return problem;
    return { ...problem, detail: `${problem.detail}; it is ${JSON.stringify(value[name])}` };
  });
  return { value, problems: told };
}

/** The project's file, unless it is the user's own: a project may be the home folder itself. */
function ownFileOf(projectRoot: string | undefined, homeFile: string): string | null {
  if (projectRoot === undefined) return null;
  const file = join(projectRoot, '.strobe', 'settings.json');
  return realPath(file) === realPath(homeFile) ? null : file;
}

function readFile(file: string, links: 'follow' | 'refuse', problems: Problem[]): Layer {
  const values: Values = {};
  const found = readSmallFile(file, { maxBytes, links });
  if (found.kind === 'absent') return { values, place: () => file };
  const content = found.kind === 'text' ? parseObject(found.text) : found.why;
  if (typeof content === 'string') {
    problems.push({
      code: 'BAD_SETTING',
      subject: file,
      detail: `it ${content}, and was not used`,
    });
    return { values, place: () => file };
  }
  const text = found.kind === 'text' ? found.text : '';
  const place = (name: string): string => `${file}:${lineOf(text, name)}`;
  for (const [name, value] of Object.entries(content)) {
    if (name === '$schema') continue;
    if (isSettingName(name)) accept(name, value, place(name), values, problems);
    else problems.push(unknown(name, place(name), settingNames));
  }
  return { values, place };
}

function unknown(name: string, place: string, known: readonly string[]): Problem {
  const [close] = nearest(name, known);
  const hint = close === undefined ? '' : `; did you mean "${close}"?`;
  return {
    code: 'BAD_SETTING',
    subject: name,
    detail: `${place}: there is no such setting${hint}`,
  };
}

/** The object a file holds, or what is wrong with the file. */
function parseObject(text: string): object | string {
  try {
    const content: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof content === 'object' && content !== null && !Array.isArray(content)
      ? content
      : 'is not a JSON object';
  } catch (error) {
    const [, at] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    const line = at === undefined ? text.split('\n').length : lineAt(text, Number(at));
    return `is not a JSON object (line ${line})`;
  }
}

/** 1-based line of the last member of this name, which is the one that counts. */
function lineOf(text: string, name: string): number {
  return lineAt(text, Math.max(0, text.lastIndexOf(JSON.stringify(name))));
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

function accept(
  name: SettingName,
  value: unknown,
  place: string,
  values: Values,
  problems: Problem[],
): void {
  const result = settingsSchema.shape[name].safeParse(value);
  if (result.success) values[name] = result.data;
  else {
    const detail = `${place}: ${result.error.issues[0]?.message ?? 'wrong value'}`;
    problems.push({ code: 'BAD_SETTING', subject: name, detail });
  }
}

/** What of a project's file counts. */
function narrowed({ values: wanted, place }: Layer, current: Values, problems: Problem[]): Values {
  const values: Values = {};
  for (const name of settingNames) {
    const value = wanted[name];
    if (value === undefined) continue;
    const before = current[name];
    const refuse = (why: string): void =>
      void problems.push({ code: 'BAD_SETTING', subject: name, detail: `${place(name)}: ${why}` });
    switch (projectMay[name]) {
      case 'lower':
        if (Number(value) > Number(before)) refuse('a project may only lower it');
        else values[name] = value;
        break;
      case 'add':
        values[name] = [...new Set([...listOf(before), ...listOf(value)])];
        break;
      case undefined:
        refuse('only your own settings file may set it');
    }
  }
  return values;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): Values {
  const values: Values = {};
  const defaults = settingsSchema.parse({});
  const names = new Map(settingNames.map((name) => [settingVariable(name), name]));
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || text === '' || !variable.startsWith('STROBE_')) continue;
    const name = names.get(variable);
    if (name === undefined) {
      if (!otherVariables.includes(variable))
        problems.push(unknown(variable, 'environment', [...names.keys(), ...otherVariables]));
    } else accept(name, fromText(text, defaults[name]), variable, values, problems);
  }
  return values;
}

function fromText(text: string, sample: unknown): unknown {
  if (Array.isArray(sample)) return text.split(',').map((entry) => entry.trim());
  if (typeof sample === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return typeof sample === 'number' ? Number(text) : text;
}
