import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, openHome } from '../base/home.ts';
import { installPaths, missingParts } from '../base/installPaths.ts';
import { runProgram } from '../base/process.ts';
import { pinnedFrida } from '../collector/frida/pinnedFrida.ts';
import { checkOptions } from './checkOptions.ts';
import { runningDaemon } from './daemonStart.ts';
import { repair } from './doctorFix.ts';
import { greeting } from './identity.ts';
import type { Manifest } from './manifestTypes.ts';
import { member, textMember } from './messages.ts';
import type { Output } from './toolCommand.ts';

/** `no`: Strobe cannot do its main job without it; `note`: it works, with a limit. */
type Finding = {
  readonly what: string;
  readonly state: 'ok' | 'note' | 'no';
  readonly detail: string;
};

const probeMs = 10_000;

/** `strobe doctor [--fix]`: what Strobe needs and what is there; status 5 when something is missing. */
export async function runDoctor(
  manifest: Manifest,
  words: readonly string[],
  output: Output,
): Promise<number> {
  checkOptions('doctor', words, ['--fix', '--json']);
  const fixed = words.includes('--fix') ? await repair(output.err) : [];
  const findings: Finding[] = [
    node(),
    installation(manifest),
    cLibrary(),
    home(),
    ...(await Promise.all([python(), compiler()])),
    frida(),
    ptrace(),
    clock(),
    await daemon(manifest),
  ];
  const missing = findings.some((finding) => finding.state === 'no');
  if (words.includes('--json'))
    output.out(`${JSON.stringify({ ok: !missing, fixed, findings }, null, 2)}\n`);
  else {
    const fixes = fixed.map((detail) => line({ what: 'fixed', state: 'ok', detail }));
    output.out([...fixes, ...findings.map(line)].join(''));
  }
  return missing ? (manifest.exitStatus['environment'] ?? 1) : 0;
}

function line({ what, state, detail }: Finding): string {
  const mark = { ok: '✓', note: '!', no: '✗' }[state];
  return `${mark} ${what.padEnd(14)}${detail}\n`;
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const recent = major > 20 || (major === 20 && minor >= 19);
  const detail = `${process.version} (${process.execPath})`;
  return recent
    ? { what: 'node', state: 'ok', detail }
    : { what: 'node', state: 'no', detail: `${detail}: 20.19 or newer is needed` };
}

function installation(manifest: Manifest): Finding {
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
    state: 'no',
    detail: `missing: ${missing.join(', ')}. ${isClone(paths.root) ? `Run npm run setup in ${paths.root}` : 'Install the package again'}`,
  };
}

/** A clone compiles its native parts; a package carries them. */
function isClone(root: string): boolean {
  return existsSync(join(root, 'scripts', 'setup.mjs'));
}

/** The oldest that the prebuilt parts of a package run with. */
const oldestLibrary = [2, 34] as const;

function cLibrary(): Finding {
  const what = 'c library';
  const version = textMember(member(process.report.getReport(), 'header'), 'glibcVersionRuntime');
  if (version === '')
    return { what, state: 'no', detail: 'not glibc: Strobe’s native parts need it' };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld =
    major < oldestLibrary[0] || (major === oldestLibrary[0] && minor < oldestLibrary[1]);
  if (!isOld || isClone(installPaths().root))
    return { what, state: 'ok', detail: `glibc ${version}` };
  const needed = oldestLibrary.join('.');
  return {
    what,
    state: 'no',
    detail: `glibc ${version}: the prebuilt parts need ${needed}. A clone compiles them: git clone, then ./strobe`,
  };
}

function home(): Finding {
  const where = homeOf(process.env);
  const problem = openHome(where);
  if (problem) return { what: 'home', state: 'no', detail: `${problem.code}: ${problem.message}` };
  try {
    accessSync(where.path, constants.W_OK);
    return { what: 'home', state: 'ok', detail: where.path };
  } catch {
    return { what: 'home', state: 'no', detail: `${where.path} cannot be written to` };
  }
}

async function python(): Promise<Finding> {
  const program = process.env['STROBE_FRIDA_PYTHON'] ?? 'python3';
  const version = await said(program, [
    '-c',
    'import sys; print("%d.%d.%d" % sys.version_info[:3])',
  ]);
  if (version === null)
    return {
      what: 'python',
      state: 'no',
      detail: `${program} cannot be run; Frida is used through Python 3.8 or newer`,
    };
  const pip = await said(program, ['-m', 'pip', '--version']);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 3 || minor < 8)
    return { what: 'python', state: 'no', detail: `${version}: 3.8 or newer is needed` };
  return pip === null
    ? {
        what: 'python',
        state: 'no',
        detail: `${version}, without pip. Debian: apt-get install python3-pip`,
      }
    : { what: 'python', state: 'ok', detail: `${version} with pip` };
}

async function compiler(): Promise<Finding> {
  if (!isClone(installPaths().root))
    return { what: 'compiler', state: 'ok', detail: 'not needed: the native parts are prebuilt' };
  const version = await said('cc', ['--version']);
  return version === null
    ? {
        what: 'compiler',
        state: 'note',
        detail:
          'no cc: needed only to build the native parts. Debian: apt-get install build-essential',
      }
    : { what: 'compiler', state: 'ok', detail: version.split('\n')[0] ?? '' };
}

/** Each version is provisioned into a folder of its own, complete once it has its final name. */
function frida(): Finding {
  const what = 'frida';
  const paths = installPaths();
  const runtime = join(homeOf(process.env).path, 'runtime');
  const wanted = pinnedFrida(paths);
  if (wanted === null)
    return { what, state: 'no', detail: `${paths.fridaRequirements} names no version of it` };
  const there = namesIn(runtime).filter((name) => /^frida-\d/.test(name));
  if (!there.includes(`frida-${wanted}`)) {
    const others = there.length === 0 ? '' : ` (there: ${there.join(', ')})`;
    const detail = `${wanted} is not in ${runtime} yet${others}; it is installed at the first traced launch`;
    return { what, state: 'note', detail };
  }
  const folder = join(runtime, `frida-${wanted}`);
  const held = namesIn(folder).flatMap((name) => /^frida-(\d.*)\.dist-info$/.exec(name)?.[1] ?? []);
  if (held.length === 1 && held[0] === wanted)
    return { what, state: 'ok', detail: `${wanted} in ${runtime}` };
  const detail = `${folder} holds ${held.join(' and ') || 'none'} in place of ${wanted}. Remove the folder: the next traced launch installs it again`;
  return { what, state: 'no', detail };
}

function ptrace(): Finding {
  const scope = read('/proc/sys/kernel/yama/ptrace_scope');
  if (scope === null) return { what: 'ptrace', state: 'ok', detail: 'not restricted by yama' };
  const meaning =
    [
      'unrestricted',
      'children only; launched programs can be traced',
      'administrators only',
      'forbidden',
    ][Number(scope)] ?? scope;
  return Number(scope) <= 1
    ? { what: 'ptrace', state: 'ok', detail: `scope ${scope}: ${meaning}` }
    : {
        what: 'ptrace',
        state: 'no',
        detail: `scope ${scope}: ${meaning}. sysctl kernel.yama.ptrace_scope=1`,
      };
}

/** Events are stamped with the cycle counter: it must run at one rate on all processors. */
function clock(): Finding {
  const flags = /^flags\s*:(.*)$/m.exec(read('/proc/cpuinfo') ?? '')?.[1]?.split(' ') ?? [];
  const source = read('/sys/devices/system/clocksource/clocksource0/current_clocksource');
  const steady = flags.includes('constant_tsc') && flags.includes('nonstop_tsc');
  const detail = `cycle counter ${steady ? 'constant and non-stop' : 'not said to be constant'}, clock source ${source ?? 'unknown'}`;
  return { what: 'clock', state: steady ? 'ok' : 'note', detail };
}

async function daemon(manifest: Manifest): Promise<Finding> {
  try {
    const link = await runningDaemon(greeting('cli', manifest.version));
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
      state: 'no',
      detail: error instanceof Error ? error.message : String(error),
    };
  }
}

async function said(command: string, args: readonly string[]): Promise<string | null> {
  try {
    const result = await runProgram({ command, args }, { limitMs: probeMs });
    return result.code === 0 ? result.stdout.toString().trim() : null;
  } catch {
    return null; // it cannot be started
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null; // not on this system
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it does not exist
  }
}
