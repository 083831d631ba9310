import { existsSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { programOn } from '../../../base/paths.ts';
import { runProgram } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { LaunchSpec } from '../../supervisor/launchSpec.ts';

const browsers =
  /^(?:chromium|chromium-browser|google-chrome|chrome|microsoft-edge|brave-browser)(?:-|$)/;
const MAKE_MS = 5000;
/** The browser that a program gets, of those there are. */
const wanted = ['chromium', 'chromium-browser', 'google-chrome', 'microsoft-edge', 'brave-browser'];

/** The pipes through which a program of Chromium is asked about its pages, as DevTools do. */
export interface PagePipes {
  readonly orders: string;
  readonly answers: string;
}

function pipesIn(folder: string): PagePipes {
  return { orders: join(folder, 'page.orders'), answers: join(folder, 'page.answers') };
}

/** The pipes of a session; null: its program is none of Chromium. */
export function pagePipesOf(folder: string): PagePipes | null {
  const pipes = pipesIn(folder);
  return existsSync(pipes.answers) ? pipes : null;
}

/** A browser by its name; a program that is built on Chromium by the files beside it. */
export function isChromium(path: string): boolean {
  if (browsers.test(basename(path))) return true;
  try {
    const folder = dirname(realpathSync(path));
    return ['icudtl.dat', 'resources.pak'].every((name) => existsSync(join(folder, name)));
  } catch {
    return false; // It is not there.
  }
}

/** How a program of Chromium is started so that its pages can be read. A browser without a profile gets one in `folder`. */
export async function withPages(spec: LaunchSpec, folder: string): Promise<LaunchSpec> {
  const pipes = pipesIn(folder);
  const made = await runProgram(
    { command: 'mkfifo', args: ['-m', '600', pipes.orders, pipes.answers] },
    { limitMs: MAKE_MS },
  );
  if (made.code !== 0) throw new StrobeError('NO_STAGE', 'The pipes to the browser were not made.');
  const args = spec.argv.slice(1);
  const hasProfile =
    !browsers.test(basename(spec.path)) || args.some((arg) => arg.startsWith('--user-data-dir'));
  const starter = await starterOf(spec.path, folder, !hasProfile);
  return { ...spec, path: '/bin/sh', argv: ['sh', starter, ...args] };
}

/** A program for BROWSER: starts the browser that is in `path` so that its pages can be read; null: there is none. */
export async function browserFor(folder: string, path: string): Promise<string | null> {
  const [browser] = wanted.flatMap((name) => programOn(path, name) ?? []);
  return browser === undefined ? null : await starterOf(browser, folder, true);
}

/** The shell opens both pipes for reading and writing: none of them ends with us, and the program never waits for us. */
async function starterOf(program: string, folder: string, needsProfile: boolean): Promise<string> {
  const own = needsProfile
    ? '--user-data-dir="$folder/profile" --no-first-run --no-default-browser-check '
    : '';
  const starter = join(folder, 'browser');
  const script = `#!/bin/sh
folder=\${0%/*} orders=$folder/page.orders answers=$folder/page.answers
[ -p "$answers" ] || mkfifo -m 600 "$orders" "$answers"
exec '${program.replaceAll("'", String.raw`'\''`)}' --remote-debugging-pipe ${own}"$@" 3<>"$orders" 4<>"$answers"
`;
  await writeFile(starter, script, { mode: 0o700 });
  return starter;
}
