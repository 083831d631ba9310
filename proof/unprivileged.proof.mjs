/*
 * All tests that run the product, as a user without any privilege: in a copy of this clone that is
 * that user's, with a home of its own. What such a user cannot do at all (other users, mounts) is
 * skipped by the tests themselves, and counted. UNPRIVILEGED_TESTS chooses files by path.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';

/** nobody */
const user = 65_534;
const chosen = (process.env.UNPRIVILEGED_TESTS ?? 'tests/native tests/integration tests/e2e').split(
  ' ',
);

/** The user's own: files of this clone, what was built from them, and Frida. */
function makeClone(clone) {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root }).toString();
  const parts = [
    ...tracked.split('\0').filter((name) => name !== ''),
    'dist',
    '.cache/native',
    '.cache/home/runtime',
  ];
  for (const part of parts.filter((name) => existsSync(join(root, name)))) {
    mkdirSync(dirname(join(clone, part)), { recursive: true });
    cpSync(join(root, part), join(clone, part), { recursive: true, preserveTimestamps: true });
  }
  own(clone);
  // Packages are linked, not copied; only their folders are the user's.
  const packages = join(clone, 'node_modules');
  execFileSync('cp', ['-a', '--link', `${join(root, 'node_modules')}/.`, packages]);
  execFileSync('find', [packages, '-type', 'd', '-exec', 'chown', String(user), '{}', '+']);
}

function own(path) {
  execFileSync('chown', ['-R', '-h', `${user}:${user}`, path]);
}

/** Folders of the PATH that everybody may look into. */
function openPath() {
  const isOpen = (folder) => spawnSync('setpriv', [...become, 'test', '-x', folder]).status === 0;
  return (process.env.PATH ?? '').split(':').filter(isOpen).join(':');
}

const become = [
  `--reuid=${user}`,
  `--regid=${user}`,
  '--clear-groups',
  '--inh-caps=-all',
  '--bounding-set=-all',
];

/** Counts of each test file. */
function rowsOf(report, clone) {
  return report.testResults.map(({ name, assertionResults, status }) => {
    const count = (wanted) => assertionResults.filter((one) => one.status === wanted).length;
    const failed = assertionResults.filter((one) => one.status === 'failed');
    const unread = status === 'failed' && failed.length === 0 ? 1 : 0;
    return {
      file: relative(clone, name),
      passed: count('passed'),
      failed: failed.length + unread,
      skipped: count('skipped') + count('pending'),
      note: failed.map(({ title }) => title).join('; '),
    };
  });
}

if (process.getuid() !== 0) {
  console.error('This needs root, to become another user. Else `npm test` is the same.');
  process.exitCode = 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'su-'));
  try {
    chmodSync(folder, 0o755);
    lchownSync(folder, user, user);
    const [clone, home] = [join(folder, 'clone'), join(folder, 'home')];
    for (const made of [clone, home]) mkdirSync(made);
    own(home);
    makeClone(clone);
    const results = join(home, 'report.json');
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...chosen];
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
    spawnSync('setpriv', [...become, process.execPath, ...vitest, ...reporters], {
      cwd: clone,
      env: { HOME: home, LANG: 'C.UTF-8', PATH: openPath() },
      stdio: 'inherit',
    });
    const rows = rowsOf(JSON.parse(readFileSync(results, 'utf8')), clone);
    const sum = (what) => rows.reduce((all, row) => all + row[what], 0);
    const counts = `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
    if (process.env.UNPRIVILEGED_TESTS === undefined)
      recordRows('unprivileged', `as user ${user} without capabilities: ${counts}`, rows);
    console.log(counts);
    if (sum('failed') > 0 || sum('passed') === 0) process.exitCode = 1;
  } finally {
    const targets = join(tmpdir(), `strobe-targets-${user}`);
    for (const path of [folder, targets, `/dev/shm/strobe-${user}`])
      rmSync(path, { recursive: true, force: true });
  }
}
