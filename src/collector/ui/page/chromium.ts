import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runProgram } from '../../../base/process.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { LaunchSpec } from '../../supervisor/launchSpec.ts';

const browsers =
  /^(?:chromium|chromium-browser|google-chrome|chrome|microsoft-edge|brave-browser)(?:-|$)/;
const MAKE_MS = 5000;
/** The shell opens both pipes for reading and writing: none of them ends with us, and the program never waits for us. */
const script = 'orders=$1 answers=$2; shift 2; exec "$@" 3<>"$orders" 4<>"$answers"';

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
  const own = hasProfile
    ? []
    : [
        `--user-data-dir=${join(folder, 'profile')}`,
        '--no-first-run',
        '--no-default-browser-check',
      ];
  return {
    ...spec,
    path: '/bin/sh',
    argv: [
      'sh',
      '-c',
      script,
      'sh',
      pipes.orders,
      pipes.answers,
      spec.path,
      '--remote-debugging-pipe',
      ...own,
      ...args,
    ],
  };
}
