import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { wallMs } from '../../base/clock.ts';
import { homeOf, isOurs } from '../../base/home.ts';
import { installPaths, missingParts } from '../../base/installPaths.ts';
import { pinnedFrida } from '../../collector/frida/pinnedFrida.ts';
import { startOwned } from '../../base/process.ts';

/** A start that has not come to its end by then was killed. */
const staleMs = 60_000;

/** Set-up may have to download Frida and to build everything. */
const setupMs = 15 * 60_000;

/**
 * `strobe doctor --fix`: puts right what is Strobe's own, and tells what it did, a sentence each. What
 * belongs to the system or to another user is left to the person: the findings say what to do.
 * `progress` gets the words of set-up.
 */
export async function repair(progress: (text: string) => void): Promise<string[]> {
  const home = homeOf(process.env).path;
  return [...closeToOthers(home), ...removeStale(home), ...(await completeSetUp(home, progress))];
}

/** Takes from others what they may do with our folder and what of ours lies directly in it. */
function closeToOthers(home: string): string[] {
  const folder = lstatSync(home, { throwIfNoEntry: false });
  if (!folder?.isDirectory() || folder.uid !== process.getuid?.()) return [];
  const names = readdirSync(home).filter(isOurs);
  return [home, ...names.map((name) => join(home, name))].flatMap((path) => {
    const stat = lstatSync(path);
    const mayChange = stat.uid === folder.uid && (stat.isFile() || stat.isDirectory());
    if (!mayChange || (stat.mode & 0o077) === 0) return [];
    chmodSync(path, stat.mode & 0o700);
    return [`closed ${path} to others (its mode was ${(stat.mode & 0o777).toString(8)})`];
  });
}

function removeStale(home: string): string[] {
  const marker = join(home, 'daemon.starting');
  const made = lstatSync(marker, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined || Math.abs(wallMs() - made) < staleMs) return [];
  rmSync(marker, { force: true });
  return [`removed ${marker}, left by a start that was cut short`];
}

/** Builds and installs what is missing; nothing when all is there. */
async function completeSetUp(home: string, progress: (text: string) => void): Promise<string[]> {
  const paths = installPaths();
  const setup = join(paths.root, 'scripts', 'setup.mjs');
  const hasFrida = existsSync(join(home, 'runtime', `frida-${pinnedFrida(paths)}`));
  if (hasFrida && missingParts(paths).length === 0) return [];
  // What is missing of an installed package it cannot make; Frida it can.
  const program = existsSync(setup) ? setup : paths.provision;
  await using running = await startOwned({ command: process.execPath, args: [program] });
  running.stderr.on('data', (chunk: Buffer) => progress(chunk.toString()));
  running.stdout.resume();
  const timer = setTimeout(() => running.kill('SIGKILL'), setupMs);
  const { code } = await running.ended;
  clearTimeout(timer);
  return [code === 0 ? 'completed the set-up' : 'the set-up did not come to its end; see above'];
}
