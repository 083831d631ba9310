import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { installPaths } from '../../base/installPaths.ts';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { checkOptions } from '../checkOptions.ts';
import { ClientError } from '../clientError.ts';
import { nearestWord } from '../nearestWord.ts';
import type { Output } from '../toolCommand.ts';
import { clientKinds, type ClientKind, type Places } from './clientKinds.ts';
import { aloneText, FileProblem, withEntry, withoutEntry, type Entry } from './entryText.ts';
import { lineDiff } from './lineDiff.ts';

/** A change of one file: null is a file that is not there. */
interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface Wish {
  readonly places: Places;
  readonly isRemoval: boolean;
  /** The root of the project whose files are meant; null: the user's. */
  readonly project: string | null;
}

const names = clientKinds.map(({ name }) => name);

/**
 * `strobe install [client...] [--project] [--remove] [--print]`: writes our entry and the skill where each client looks for
 * them, and shows each change first. Without a client: all that are there. Status 5 when a file could not be changed.
 */
export function runInstall(words: readonly string[], output: Output): number {
  const flags = words.filter((word) => word.startsWith('-'));
  checkOptions('install', flags, ['--print', '--project', '--remove']);
  const places = { home: homedir(), env: process.env };
  const project = flags.includes('--project') ? projectRootAbove(process.cwd()) : null;
  const wish = { places, project, isRemoval: flags.includes('--remove') };
  const asked = words.filter((word) => !word.startsWith('-')).map(clientNamed);
  if (flags.includes('--print')) return print(asked.length > 0 ? asked : clientKinds, wish, output);
  const clients = asked.length > 0 ? asked : clientKinds.filter((client) => isThere(client, wish));
  if (clients.length === 0)
    throw new ClientError(
      'BAD_PARAMETER',
      'No client was found here.',
      `Name one: strobe install ${names.join('|')}.`,
    );
  return clients.map((client) => serve(client, wish, output)).every(Boolean) ? 0 : 5;
}

function clientNamed(name: string): ClientKind {
  const found = clientKinds.find((client) => client.name === name);
  if (found) return found;
  const { question, correction } = nearestWord(name, names);
  throw new ClientError(
    'BAD_PARAMETER',
    `"${name}" is not a known client.${question}`,
    `Use one of: ${names.join(', ')}.`,
    correction,
  );
}

/** Whether a client that nobody named seems to be used: its folder or file is there. */
function isThere(client: ClientKind, { places, project }: Wish): boolean {
  const file = client.file(places);
  if (project !== null && client.projectFile === null) return false;
  const folder = dirname(file);
  return existsSync(file) || (folder !== places.home && existsSync(folder));
}

function entryOf({ always, limits }: ClientKind): Entry {
  const program = join(installPaths().root, 'strobe');
  return { always: { ...always, command: program, args: ['mcp'] }, limits };
}

/** The file of a client, and its skill's. Throws where the client has none in a project. */
function filesOf(client: ClientKind, { places, project }: Wish): { file: string; skill: string } {
  if (project === null)
    return { file: client.file(places), skill: join(client.skills(places), 'strobe', 'SKILL.md') };
  if (client.projectFile === null)
    throw new ClientError(
      'BAD_PARAMETER',
      `${client.title} has no settings of a project.`,
      `Without --project: strobe install ${client.name}.`,
    );
  return {
    file: join(project, client.projectFile),
    skill: join(project, client.projectSkills, 'strobe', 'SKILL.md'),
  };
}

function print(clients: readonly ClientKind[], wish: Wish, output: Output): number {
  for (const client of clients) {
    if (wish.project !== null && client.projectFile === null) continue;
    output.err(`# ${client.title}: ${filesOf(client, wish).file}\n`);
    output.out(aloneText(client, entryOf(client)));
  }
  return 0;
}

/** Makes a client's changes; whether all were made. */
function serve(client: ClientKind, wish: Wish, output: Output): boolean {
  const { file, skill } = filesOf(client, wish);
  let isDone = true;
  const make = (change: () => Change): void => {
    isDone = makeChange(client, change, output) && isDone;
  };
  make(() => entryChange(client, file, wish));
  make(() => skillChange(client, skill, wish));
  if (isDone && !wish.isRemoval) output.out(`${client.title}: restart it.\n`);
  return isDone;
}

function makeChange(client: ClientKind, change: () => Change, output: Output): boolean {
  try {
    const { path, before, after } = change();
    if (before === after) {
      output.out(`${client.title}: ${path} is as it should be\n`);
      return true;
    }
    output.out(
      `${client.title}: ${path}${after === null ? ' goes' : before === null ? ' is new' : ''}\n`,
    );
    output.out(lineDiff(before ?? '', after ?? ''));
    write(path, after);
    return true;
  } catch (error) {
    if (error instanceof ClientError) output.err(`${error.text}\n`);
    else output.err(`${client.title}: ${String(error)}\n`);
    return false;
  }
}

function entryChange(client: ClientKind, path: string, { isRemoval }: Wish): Change {
  const before = textOf(path);
  try {
    const after = isRemoval
      ? before === null
        ? null
        : withoutEntry(before, client)
      : withEntry(before ?? '', client, entryOf(client));
    return { path, before, after };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    throw new ClientError(
      'BAD_PARAMETER',
      `${path} was left as it is: ${error.message}.`,
      `Correct it, or change it by hand: strobe install ${client.name} --print shows the entry.`,
    );
  }
}

/** A skill that the user changed stays. */
function skillChange(client: ClientKind, path: string, wish: Wish): Change {
  const before = textOf(path);
  const ours = readFileSync(installPaths().skill, 'utf8');
  if (!wish.isRemoval) return { path, before, after: ours };
  const isShared = clientKinds.some(
    (other) =>
      other !== client &&
      (wish.project === null || other.projectFile !== null) &&
      filesOf(other, wish).skill === path &&
      /\bstrobe\b/.test(textOf(filesOf(other, wish).file) ?? ''),
  );
  return { path, before, after: before === ours && !isShared ? null : before };
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Writes a whole file or none; a link stays, what it leads to is written. */
function write(path: string, text: string | null): void {
  try {
    if (text === null) {
      rmSync(path);
      if (path.endsWith('SKILL.md')) rmdirSync(dirname(path));
      return;
    }
    mkdirSync(dirname(path), { recursive: true });
    const place = existsSync(path) ? realpathSync(path) : path;
    const draft = `${place}.${process.pid}.strobe`;
    const mode = existsSync(place) ? statSync(place).mode & 0o777 : 0o644;
    try {
      writeFileSync(draft, text, { mode });
      renameSync(draft, place);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClientError(
      'HOME_READ_ONLY',
      `${path} cannot be written: ${why}.`,
      'Make it writable, or add the entry by hand: strobe install --print shows it.',
    );
  }
}
