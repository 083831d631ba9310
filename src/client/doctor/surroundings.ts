import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { homeOf } from '../../base/home.ts';
import { installPaths } from '../../base/installPaths.ts';
import { nearest } from '../../base/nearest.ts';
import { programOn } from '../../base/paths.ts';
import { projectRootAbove } from '../../base/projectRoot.ts';
import { stagePrograms } from '../../collector/ui/stagePrograms.ts';
import { clientKinds } from '../install/clientKinds.ts';
import { ownEntry } from '../install/entryText.ts';
import { member } from '../messages.ts';
import { namesIn, read, said, type Finding } from './finding.ts';

/** Separate debug information of system libraries. */
export function debugInformation(): Finding {
  const what = 'debug info';
  const folder = '/usr/lib/debug/.build-id';
  const count = namesIn(folder).length;
  return count > 0
    ? {
        what,
        state: 'ok',
        detail: `also from ${folder} (${count} folders) and .debug files beside programs`,
      }
    : {
        what,
        state: 'ok',
        detail: `from programs and .debug files beside them; none in ${folder}: of system libraries exported names alone are known (Debian: apt-get install libc6-dbg)`,
      };
}

const runners = [
  ['pytest', 'python3', ['-m', 'pytest', '--version']],
  ['unittest', 'python3', ['-m', 'unittest', '-h']],
  ['cargo test', 'cargo', ['--version']],
  ['go test', 'go', ['version']],
  ['ctest', 'ctest', ['--version']],
  ['node --test', process.execPath, ['--version']],
] as const;

/** What of it is there: a project brings Vitest, Jest and Mocha itself. */
export async function testRunners(): Promise<Finding> {
  const there = await Promise.all(
    runners.map(async ([name, command, args]) =>
      (await said(command, args)) === null ? [] : [name],
    ),
  );
  return { what: 'test runners', state: 'ok', detail: there.flat().join(', ') };
}

/** What shows windows of programs that are launched with "ui". */
export function stage(): Finding {
  const what = 'windows';
  const { PATH = '' } = process.env;
  const missing = stagePrograms.filter(({ name, folders }) => !programOn(PATH, name, folders));
  if (missing.length === 0)
    return { what, state: 'ok', detail: stagePrograms.map(({ name }) => name).join(', ') };
  const names = missing.map(({ name }) => name).join(', ');
  const packages = missing.map(({ debian }) => debian).join(' ');
  const effect = missing.some(({ isNeeded }) => isNeeded)
    ? 'programs cannot be launched with "ui"'
    : 'windows of programs launched with "ui" are not managed: none can be fullscreen, maximised or iconified';
  const detail = `${effect}: no ${names} (Debian: apt-get install ${packages})`;
  return { what, state: 'warning', detail };
}

/** Names and form of the user's and this project's settings; values are checked by the daemon. */
export function settings(): Finding {
  const what = 'settings';
  const { path } = homeOf(process.env);
  const files = [
    join(path, 'settings.json'),
    join(projectRootAbove(process.cwd()), '.strobe', 'settings.json'),
  ];
  const there = [...new Set(files)].filter((file) => existsSync(file));
  const problems = there.flatMap(settingProblems);
  if (problems.length > 0) return { what, state: 'warning', detail: problems.join('; ') };
  return { what, state: 'ok', detail: there.length === 0 ? 'none set' : there.join(', ') };
}

function settingProblems(file: string): string[] {
  const schema: unknown = JSON.parse(
    read(join(installPaths().root, 'settings.schema.json')) ?? '{}',
  );
  const known = Object.keys(member(schema, 'properties') ?? {});
  try {
    const given: unknown = JSON.parse(read(file) ?? '');
    if (typeof given !== 'object' || given === null) return [`${file} is no JSON object`];
    return Object.keys(given)
      .filter((name) => !known.includes(name))
      .map((name) => {
        const [close] = nearest(name, known);
        return `${file}: ${name} is no setting${close === undefined ? '' : `, write ${close}`}`;
      });
  } catch (error) {
    return [`${file} is not read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** The socket that clients look for, and whether anybody answers there (`isRunning`). */
export function socket(isRunning: boolean): Finding {
  const what = 'socket';
  const path = join(homeOf(process.env).path, 'daemon.sock');
  const isThere = lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  const left = 'left by a daemon that died; the next start replaces it';
  return { what, state: 'ok', detail: isThere && !isRunning ? `${path}, ${left}` : path };
}

/** Shared memory of sessions that are not there any more. */
export function staleFiles(isRunning: boolean): Finding {
  const what = 'stale files';
  const rings = join('/dev/shm', `strobe-${process.getuid?.() ?? 0}`);
  const kept = new Set(namesIn(join(homeOf(process.env).path, 'sessions')));
  const left = isRunning ? [] : namesIn(rings).filter((id) => !kept.has(id));
  return left.length === 0
    ? { what, state: 'ok', detail: 'none' }
    : {
        what,
        state: 'warning',
        detail: `${left.length} folders of other or removed sessions in ${rings}; the next daemon of their home removes them, or: rm -r ${rings}`,
      };
}

/** Coding agents that Strobe is registered with, and whether what they start is there. */
export function registrations(): Finding[] {
  const places = { home: homedir(), env: process.env };
  const project = projectRootAbove(process.cwd());
  return clientKinds.flatMap((client) => {
    const files = [
      client.file(places),
      ...(client.projectFile === null ? [] : [join(project, client.projectFile)]),
    ];
    return files.flatMap((file): Finding[] => {
      const text = existsSync(file) ? read(file) : null;
      if (text === null) return [];
      const what = client.name;
      const isProject = file !== client.file(places);
      const cure = `strobe install ${client.name}${isProject ? ' --project' : ''}`;
      const entry = ownEntry(text, client);
      if (entry === null) return [];
      const command = String(member(entry, 'command'));
      const isThere = !isAbsolute(command) || existsSync(command);
      return isThere
        ? [{ what, state: 'ok', detail: `registered in ${file}` }]
        : [
            {
              what,
              state: 'warning',
              detail: `${file} starts ${command}, which is not there: ${cure}`,
            },
          ];
    });
  });
}
