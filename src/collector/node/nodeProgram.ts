import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { realPath } from '../../base/paths.ts';
import { commandOf, linkOf } from '../../base/proc.ts';
import { isSystemPath } from '../../base/systemPaths.ts';
import { KnownFiles } from '../program/knownFiles.ts';
import { readNodeFile, type NodeFile } from './nodeFile.ts';
import { ownOptions } from './nodeOptions.ts';

/** What Node exports, for addons that are linked with it. */
const mainFunction = Buffer.from('\0_ZN4node5StartEiPPc\0', 'latin1');
/** What every program exports that loads such addons. */
const addonFunction = Buffer.from('\0napi_create_function\0', 'latin1');
/** Its names lie in the first part of its file. */
const NAMES_BYTES = 16 << 20;

const known = new KnownFiles<KnownProgram | null>();

/** A program that runs files of JavaScript. */
export type JavaScriptProgram = 'node' | 'deno' | 'bun' | 'electron';

interface KnownProgram {
  readonly name: JavaScriptProgram;
  /** Of Node. */
  readonly file: NodeFile | null;
}

/** Which of them a program is, by its file: it is not run. */
export async function programOf(image: string): Promise<JavaScriptProgram | null> {
  return (await knownProgram(image))?.name ?? null;
}

/** Null: it is not Node. */
export async function nodeFileOf(image: string): Promise<NodeFile | null> {
  return (await knownProgram(image))?.file ?? null;
}

async function knownProgram(image: string): Promise<KnownProgram | null> {
  return await known.of(image, async () => await readProgram(image));
}

async function readProgram(image: string): Promise<KnownProgram | null> {
  const name = await readNames(image);
  if (name === null) return null;
  return { name, file: name === 'node' ? await readNodeFile(image) : null };
}

async function readNames(image: string): Promise<JavaScriptProgram | null> {
  const file = await open(image, 'r').catch(() => null);
  if (!file) return null;
  try {
    if ((await file.stat()).size < NAMES_BYTES) return null;
    const bytes = Buffer.allocUnsafe(NAMES_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return named(basename(realPath(image)), bytes.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function named(name: string, bytes: Buffer): JavaScriptProgram | null {
  if (name.startsWith('electron')) return 'electron';
  if (bytes.includes(mainFunction)) return 'node';
  if (!bytes.includes(addonFunction)) return null;
  if (name.startsWith('deno')) return 'deno';
  return name.startsWith('bun') ? 'bun' : null;
}

const notFile = /^(?:-e|--eval|-p|--print|-pe|-i|--interactive|--test|--run|-)$/;

/** The source file that a process was started with; null: it has none, or that is unknown. */
export function scriptOf(pid: number): string | null {
  const words = commandOf(pid).slice(1);
  const { options, script } = ownOptions(words);
  const path = words[script];
  const folder = linkOf(pid, 'cwd');
  if (path === undefined || folder === null || options.some((one) => notFile.test(one)))
    return null;
  return realPath(resolve(folder, path));
}

/** Where the project of what a process runs lies: its script does, or it was started there. */
export function sourceFolder(pid: number): string | null {
  const script = scriptOf(pid);
  if (script === null || isInstalled(script)) return linkOf(pid, 'cwd');
  return dirname(script);
}

/** Where modules of a folder find packages: `node_modules` in it and above it, each with `/` at its end. */
export function packageFolders(folder: string): string[] {
  const above = dirname(folder);
  const own = join(folder, 'node_modules');
  return [
    ...(existsSync(own) ? [`${realPath(own)}/`] : []),
    ...(above === folder ? [] : packageFolders(above)),
  ];
}

/** A command of a package. */
function isInstalled(script: string): boolean {
  return (
    isSystemPath(script) || script.includes('/node_modules/') || basename(dirname(script)) === 'bin'
  );
}
