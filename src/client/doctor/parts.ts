import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, openHome } from '../../base/home.ts';
import { installPaths, missingParts } from '../../base/installPaths.ts';
import { pinnedFrida } from '../../collector/frida/pinnedFrida.ts';
import { runningDaemon } from '../daemonStart.ts';
import { greeting } from '../identity.ts';
import type { Manifest } from '../manifestTypes.ts';
import { member, textMember } from '../messages.ts';
import { namesIn, said, type Finding } from './finding.ts';

export function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const recent = major > 20 || (major === 20 && minor >= 19);
  const detail = `${process.version} (${process.execPath})`;
  return recent
    ? { what: 'node', state: 'ok', detail }
    : { what: 'node', state: 'problem', detail: `${detail}: 20.19 or newer is needed` };
}

/** The native part of SQLite in this Node: a build of one ABI does not load in another. */
export async function nativeParts(): Promise<Finding> {
  const what = 'native parts';
  const { sqlite, node: tracer } = installPaths();
  const script = 'for (const path of process.argv.slice(1)) process.dlopen({ exports: {} }, path)';
  const loads = (await said(process.execPath, ['-e', script, sqlite, tracer])) !== null;
  const abi = `ABI ${process.versions.modules}`;
  return loads
    ? { what, state: 'ok', detail: `they load in this Node (${abi})` }
    : {
        what,
        state: 'problem',
        detail: `they do not load in this Node (${abi}). ${again(installPaths().root)}`,
      };
}

function again(root: string): string {
  return isClone(root) ? `Run npm run setup in ${root}` : 'Install the package again';
}

export function installation(manifest: Manifest): Finding {
  const paths = installPaths();
  const missing = missingParts(paths);
  if (missing.length === 0)
    return {
      what: 'installation',
      state: 'ok',
      detail: `version ${manifest.version} in ${paths.root}`,
    };
  return {
    what: 'installation',
    state: 'problem',
    detail: `missing: ${missing.join(', ')}. ${again(paths.root)}`,
  };
}

/** A clone compiles its native parts; a package carries them. */
function isClone(root: string): boolean {
  return existsSync(join(root, 'scripts', 'setup.mjs'));
}

/** The oldest that the prebuilt parts of a package run with. */
const oldestLibrary = [2, 34] as const;

export function cLibrary(): Finding {
  const what = 'c library';
  const version = textMember(member(process.report.getReport(), 'header'), 'glibcVersionRuntime');
  if (version === '')
    return { what, state: 'problem', detail: 'not glibc: Strobe’s native parts need it' };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld =
    major < oldestLibrary[0] || (major === oldestLibrary[0] && minor < oldestLibrary[1]);
  if (!isOld || isClone(installPaths().root))
    return { what, state: 'ok', detail: `glibc ${version}` };
  const needed = oldestLibrary.join('.');
  return {
    what,
    state: 'problem',
    detail: `glibc ${version}: the prebuilt parts need ${needed}. A clone compiles them: git clone, then ./strobe`,
  };
}

export function home(): Finding {
  const where = homeOf(process.env);
  const problem = openHome(where);
  if (problem)
    return { what: 'home', state: 'problem', detail: `${problem.code}: ${problem.message}` };
  try {
    accessSync(where.path, constants.W_OK);
    return { what: 'home', state: 'ok', detail: where.path };
  } catch {
    return { what: 'home', state: 'problem', detail: `${where.path} cannot be written to` };
  }
}

export async function python(): Promise<Finding> {
  const program = process.env['STROBE_FRIDA_PYTHON'] ?? 'python3';
  const version = await said(program, [
    '-c',
    'import sys; print("%d.%d.%d" % sys.version_info[:3])',
  ]);
  if (version === null)
    return {
      what: 'python',
      state: 'problem',
      detail: `${program} cannot be run; Frida is used through Python 3.8 or newer`,
    };
  const pip = await said(program, ['-m', 'pip', '--version']);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || minor < 8)
    return { what: 'python', state: 'problem', detail: `${version}: 3.8 or newer is needed` };
  return pip === null
    ? {
        what: 'python',
        state: 'problem',
        detail: `${version}, without pip. Debian: apt-get install python3-pip`,
      }
    : { what: 'python', state: 'ok', detail: `${version} with pip` };
}

export async function compiler(): Promise<Finding> {
  if (!isClone(installPaths().root))
    return { what: 'compiler', state: 'ok', detail: 'not needed: the native parts are prebuilt' };
  const version = await said('cc', ['--version']);
  return version === null
    ? {
        what: 'compiler',
        state: 'warning',
        detail:
          'no cc: needed only to build the native parts. Debian: apt-get install build-essential',
      }
    : { what: 'compiler', state: 'ok', detail: version.split('\n')[0] ?? '' };
}

/** Each version is provisioned into a folder of its own, complete once it has its final name. */
export function frida(): Finding {
  const what = 'frida';
  const paths = installPaths();
  const runtime = join(homeOf(process.env).path, 'runtime');
  const wanted = pinnedFrida(paths);
  if (wanted === null)
    return { what, state: 'problem', detail: `${paths.fridaRequirements} names no version of it` };
  const there = namesIn(runtime).filter((name) => /^frida-\d/.test(name));
  if (!there.includes(`frida-${wanted}`)) {
    const others = there.length === 0 ? '' : ` (there: ${there.join(', ')})`;
    const detail = `${wanted} is not in ${runtime} yet${others}; it is installed at the first traced launch`;
    return { what, state: 'warning', detail };
  }
  const folder = join(runtime, `frida-${wanted}`);
  const held = namesIn(folder).flatMap((name) => /^frida-(\d.*)\.dist-info$/.exec(name)?.[1] ?? []);
  if (held.length === 1 && held[0] === wanted)
    return { what, state: 'ok', detail: `${wanted} in ${runtime}` };
  const detail = `${folder} holds ${held.join(' and ') || 'none'} in place of ${wanted}. Remove the folder: the next traced launch installs it again`;
  return { what, state: 'problem', detail };
}

export async function daemon(manifest: Manifest): Promise<Finding> {
  try {
    const link = await runningDaemon(greeting('cli', manifest.version, 'both'));
    if (!link)
      return { what: 'daemon', state: 'ok', detail: 'not running; the first command starts it' };
    link.close();
    return {
      what: 'daemon',
      state: 'ok',
      detail: `pid ${link.hello.pid}, version ${link.hello.version}${link.hello.busy ? ', has sessions' : ''}`,
    };
  } catch (error) {
    return {
      what: 'daemon',
      state: 'problem',
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}
