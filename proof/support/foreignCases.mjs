/*
 * Programs of other makers and languages, each traced with all its functions and with the project's own. See cases.mjs; here
 * `find` answers the program, its arguments and environment, or throws why it cannot run here.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../bench/support/record.mjs';
import {
  built,
  builtJava,
  builtTokio,
  environmentOf,
  programIn,
  unpacked,
} from '../../scripts/foreign.mjs';
import { display } from './display.mjs';

const targets = join(root, 'proof', 'targets', 'foreign');

function system(name) {
  const program = `/usr/bin/${name}`;
  if (!existsSync(program)) throw new Error(`${name} is not installed`);
  return program;
}

/** A program of packages that are unpacked. */
function packaged(name, path, args) {
  const folder = unpacked(name);
  const program = programIn(folder, path);
  if (program === null) throw new Error(`${path} is not in its package`);
  return { program, args, env: environmentOf(folder) };
}

/** A program with windows. */
function shown(name, more = {}) {
  const folder = unpacked(name);

  return {
    program: built(name),
    args: [],
    env: { ...environmentOf(folder), ...display(), ...more },
  };
}

const script = `
const { createHash } = require('node:crypto');
const text = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ i, s: 'x'.repeat(i % 9) })));
const map = new Map(JSON.parse(text).map(({ i, s }) => [s + i, i]));
let sum = 0;
for (let i = 0; i < 3e5; i++) sum += i % 7;
console.log(sum, map.size, [3, 1, 2].sort(), createHash('sha256').update(text).digest('hex'), /a+b/.exec('caaab')[0]);
try { null.x } catch (error) { console.log(error.message) }
const deep = (n) => (n ? 1 + deep(n - 1) : 0);
console.log(deep(5000));
try { (function over() { over() })() } catch (error) { console.log(error.constructor.name) }
setTimeout(() => { console.log('later'); process.exitCode = 5 }, 20);
`;

const pythonScript = `
import json, re, hashlib, threading, collections
text = json.dumps([{'i': i, 's': 'x' * (i % 9)} for i in range(2000)])
print(len(json.loads(text)), hashlib.sha256(text.encode()).hexdigest())
print(sum(i % 7 for i in range(30000)), re.sub(r'(\\d)(\\d)', r'\\2\\1', '12 34 56'), collections.Counter('abracadabra').most_common(2))
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
print(deep(900))
done = []
threads = [threading.Thread(target=lambda n=n: done.append(sum(range(n)))) for n in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(done))
raise SystemExit(6)
`;

const programs = {
  // Without its name a pattern means JavaScript.
  node: { find: () => ({ program: system('node'), args: ['-e', script] }), all: 'node!*' },
  python3: { find: () => ({ program: system('python3'), args: ['-c', pythonScript] }) },
  luajit: {
    find: () => packaged('luajit', 'usr/bin/luajit', [join(targets, 'small.lua')]),
  },
  tokio: { find: () => ({ program: builtTokio(), args: [] }), projectRoot: root },
  Qt: {
    find: () =>
      shown('qt', {
        QT_QPA_PLATFORM: 'xcb',
        QT_PLUGIN_PATH: join(root, '.cache/foreign/qt/usr/lib/x86_64-linux-gnu/qt5/plugins'),
      }),
    projectRoot: root,
    says: /pressed 5/,
  },
  GTK: {
    find: () => shown('gtk', { GTK_THEME: 'Adwaita', NO_AT_BRIDGE: '1' }),
    projectRoot: root,
  },
  Chromium: {
    says: /"b":2/,
    find: () => {
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
      const page = `file://${join(targets, 'page.html')}`;
      return packaged('chromium', 'usr/lib/chromium/chromium', [...flags, '--dump-dom', page]);
    },
    mask: /^.*(?:ERROR|WARNING|INFO).*\n/gm,
    because: 'its log lines hold times, and its profile is other each time',
    except: /^\.(?:config|cache|local)/,
  },
  'a JVM': {
    find: () => ({
      program: system('java'),
      args: ['-Xmx256m', '-XX:-UsePerfData', '-cp', builtJava(), 'Small'],
    }),
    isForeign: true,
  },
  musl: {
    find: () => ({ program: built('musl'), args: [] }),
    isForeign: true,
  },
  Haskell: {
    find: () => packaged('haskell', 'usr/bin/shellcheck', ['-s', 'bash', '-f', 'gcc', '-']),
    stdin: 'for f in $(ls *.txt); do\n  echo $f\n  [ $f == "x" ] && cat `which sh`\ndone\n',
    isForeign: true,
  },
  OCaml: { find: () => ({ program: built('ocaml'), args: [] }), isForeign: true },
};

/**
 * `isForeign`: that nothing of it is traced is in order. So it is of a program without sources (no `projectRoot`) when those
 * of the project are asked for.
 */
export const foreignCases = Object.entries(programs).flatMap(([name, { all = '*', ...program }]) =>
  [all, '@usercode'].map((pattern) => ({
    limit: 300_000,
    ...program,
    isForeign: program.isForeign || (pattern === '@usercode' && !program.projectRoot),
    name: `${name}, ${pattern}`,
    trace: [pattern],
  })),
);
