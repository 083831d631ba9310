/*
 * The programs. A case:
 *   name, command (found on `path`, or a file of `built`), args, stdin, env
 *   trace    patterns; `launch: true` goes through debug_launch with pipes instead of `strobe run`
 *   template one of `templates`: what stands in its folder before
 *   except   files that cannot be compared, `because` says why
 */
const python = (code, more = {}) => ({ command: 'python3', args: ['-c', code], ...more });
const bash = (script, more = {}) => ({ command: 'bash', args: ['-c', script], ...more });
const sqlScript = `
  create table t(a integer primary key, b text, c real);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into t select i, 'row ' || i, i / 7.0 from n;
  create index tb on t(b);
  select count(*), sum(a), round(sum(c), 6), max(b) from t;
  select b from t where b like '%99%' order by c desc limit 5;
  select no_such_function(1);
`;
const git = (name, ...args) => ({
  name: `git ${name}`,
  command: 'git',
  args,
  template: 'repository',
  trace: ['libc.so.6!**', 'libz*!**', 'libpcre2*!**'],
  except: /^\.git\/(?:index|ORIG_HEAD\.lock)$/,
  because: 'the index holds inode numbers and times of this run',
});

const panics = { mask: /\(\d+\)(?= panicked)/g, because: 'a panic tells its thread number' };

export const path = '/usr/bin:/bin';

export const cases = [
  {
    name: 'ls -lAR',
    command: 'ls',
    args: ['-lA', '--time-style=+%s', '-R', '.'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'ls, missing file',
    command: 'ls',
    args: ['nothing-here'],
    trace: ['libc.so.6!**', 'libselinux*!**', 'libpcre2*!**'],
  },
  {
    name: 'find',
    command: 'find',
    args: ['.', '-type', 'f', '-size', '+1k', '-printf', '%p %s %m\\n'],
    trace: ['libc.so.6!**', 'libm.so.6!**'],
    template: 'texts',
  },
  {
    name: 'find -exec',
    command: 'find',
    args: ['.', '-name', '*.txt', '-exec', 'wc', '-l', '{}', '+'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'sort, two threads',
    command: 'sort',
    args: ['--parallel=2', '-k2', '-n', 'numbers.txt', '-o', 'sorted.txt'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'sort -R by locale',
    command: 'sort',
    args: ['-f', 'words.txt'],
    trace: ['libc.so.6!*coll*', 'libc.so.6!str*'],
    template: 'texts',
    env: { LC_ALL: 'C.UTF-8' },
  },
  {
    name: 'sha256sum',
    command: 'sha256sum',
    args: ['numbers.txt', 'words.txt', 'absent'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'tar, create',
    command: 'tar',
    args: ['-cvf', 'all.tar', '--sort=name', 'words.txt', 'numbers.txt', 'deep'],
    trace: ['libc.so.6!**', 'libacl*!**'],
    template: 'texts',
  },
  {
    name: 'tar, gzip in a child',
    command: 'tar',
    args: ['--sort=name', '-I', 'gzip -n', '-cf', 'all.tgz', 'words.txt', 'deep'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'gzip',
    command: 'gzip',
    args: ['-9', '-k', '-v', 'numbers.txt'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'xz, threads',
    command: 'xz',
    args: ['-T2', '-k', 'numbers.txt'],
    trace: ['liblzma*!**', 'libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'sed -i',
    command: 'sed',
    args: ['-i', '-E', 's/([a-z]+) ([0-9]+)/\\2 \\1/', 'numbers.txt'],
    trace: ['libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'awk',
    command: 'awk',
    args: [
      '{ n[$1] += $2; s += sqrt($2) } END { for (w in n) print w, n[w] | "sort"; close("sort"); printf "%.6f\\n", s; exit 3 }',
      'numbers.txt',
    ],
    trace: ['libm.so.6!**', 'libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'grep -P',
    command: 'grep',
    args: ['-nP', '(?<=a)l.*a$', 'words.txt'],
    trace: ['libpcre2*!**', 'libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'bc',
    command: 'bc',
    args: ['-l'],
    stdin: 'scale=60\n4*a(1)\n2^200\ne(1)\n',
    trace: ['libc.so.6!**'],
  },
  {
    name: 'jq',
    command: 'jq',
    args: ['-c', '.[] | select(.n % 3 == 0) | {n, s: (.s | test("a+b"))}'],
    stdin: JSON.stringify(
      Array.from({ length: 200 }, (_, n) => ({ n, s: 'a'.repeat(n % 5) + 'b' })),
    ),
    trace: ['libjq*!**', 'libonig*!**', 'libc.so.6!**'],
  },
  { name: 'env', command: 'env', args: [], trace: ['libc.so.6!**'] },
  git('log', 'log', '--stat', '-p', '--format=fuller'),
  git('status', 'status', '--porcelain=v2', '--branch'),
  git('diff', 'diff', '--word-diff', 'HEAD'),
  git('commit', 'commit', '-q', '-a', '-m', 'the second change'),
  git('gc', 'gc', '-q'),
  python('print(sum(i * i for i in range(2000)), "größe", 2**300)', {
    name: 'python3, arithmetic',
    trace: ['**'],
  }),
  python(
    `
import threading, sys
total = 0
lock = threading.Lock()
def work(n):
    global total
    for i in range(500):
        with lock: total += n * i
threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
for t in threads: t.start()
for t in threads: t.join()
print(total)
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
print(deep(900))
try: deep(10**6)
except RecursionError as error: print(type(error).__name__)
raise ValueError('uncaught, with a traceback')`,
    { name: 'python3, threads and exceptions', trace: ['**', 'libc.so.6!**'] },
  ),
  python(
    `
import subprocess, os, sys
print(subprocess.run(['sort', '-r'], input=b'a\\nb\\nc\\n', capture_output=True))
print(subprocess.run('echo $0; exit 5', shell=True, capture_output=True))
print(subprocess.run(['env'], env={'A': 'b'}, capture_output=True).stdout)
sys.stdout.flush()
if os.fork() == 0:
    print('in the child', sum(range(1000)), flush=True)
    os._exit(3)
print(os.waitstatus_to_exitcode(os.wait()[1]))
os.kill(os.getpid(), 15)`,
    { name: 'python3, children and a signal', trace: ['libc.so.6!**', '**'] },
  ),
  python(
    `
import unittest
class T(unittest.TestCase):
    def test_good(self): self.assertEqual(1 + 1, 2)
    def test_bad(self): self.assertRaises(ZeroDivisionError, lambda: 1 / 0)
    @unittest.expectedFailure
    def test_expected(self): self.assertTrue(False)
unittest.TextTestRunner(stream=open('tests.txt', 'w'), verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
import re; print(re.sub(r'in [\\d.]+s', 'in a time', open('tests.txt').read()))
import os; os.remove('tests.txt')`,
    { name: 'python3, unittest', trace: ['_Py*', 'Py*'] },
  ),
  python(
    `
import sqlite3, time
time.sleep(1)
db = sqlite3.connect('new.db')
db.create_function('twice', 1, lambda v: v * 2)
db.executescript("create table t(a, b); create index i on t(b);")
db.executemany('insert into t values (?, ?)', ((i, str(i) * 3) for i in range(1000)))
db.commit()
print(db.execute('select sum(twice(a)), max(b) from t').fetchall())
try: db.execute('select nothing from nowhere')
except sqlite3.OperationalError as error: print(error)`,
    { name: 'python3, sqlite3', trace: ['libsqlite3*!**'] },
  ),
  python(
    `
import ctypes, hashlib, zlib, json, decimal, struct, bz2, lzma
libc = ctypes.CDLL('libc.so.6')
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def order(a, b): return a[0] - b[0]
values = (ctypes.c_int * 50)(*[(i * 37) % 101 for i in range(50)])
libc.qsort(values, 50, 4, order)
print(list(values))
data = bytes(range(256)) * 40
for name in sorted(['md5', 'sha1', 'sha256', 'sha3_256', 'blake2b']): print(name, hashlib.new(name, data).hexdigest())
print(zlib.crc32(data), len(zlib.compress(data)), len(bz2.compress(data)), len(lzma.compress(data)))
print(decimal.Decimal(2).sqrt(), struct.pack('<dfe', 1.5, 2.5, 3.5), json.dumps({'a': [1.1, None, 'ü']}))`,
    {
      name: 'python3, ctypes callbacks and digests',
      trace: [
        'libffi*!**',
        'libcrypto*!**',
        'libz*!**',
        'liblzma*!**',
        'libbz2*!**',
        'libc.so.6!**',
      ],
    },
  ),
  {
    name: 'perl',
    command: 'perl',
    args: [
      '-e',
      'my %h; $h{$_ % 7} .= chr(97 + $_ % 26) for 1..500; print "$_ $h{$_}\\n" for sort keys %h; eval { die { code => 4 } }; print "caught $@->{code}\\n"; local $SIG{ALRM} = sub { print "alarm\\n" }; kill ALRM => $$; print `echo child`; my $s = "a1b22" x 40; $s =~ s/(\\d+)/<$1>/g; print length $s, "\\n"; warn "to stderr\\n"; exit 6',
    ],
    trace: ['**', 'libc.so.6!**'],
  },
  bash(
    'for w in $(cat words.txt | sort -u | head -20); do echo "${w^^}"; done | tr A-Z a-z | wc -l; x=(1 2 3); echo $((x[1] * 21)) >&2; cat < <(echo sub); false || exit 11',
    { name: 'bash, pipes', trace: ['**'], template: 'texts' },
  ),
  bash(
    'trap "echo got it" USR1; kill -USR1 $$; (sleep 0.1; exit 4) & wait $!; echo $?; set -o pipefail; seq 1000 | grep 9 | tail -1; printf "%s\\n" {a..e}{1..3} > made.txt; exec env -i A=b',
    { name: 'bash, jobs, traps and exec', trace: ['libc.so.6!**', '**'] },
  ),
  {
    name: 'make',
    command: 'make',
    args: ['-j2', 'all'],
    trace: ['**', 'libc.so.6!**'],
    template: 'project',
  },
  {
    name: 'g++ compiles (driver)',
    command: 'g++',
    args: ['-O1', '-c', 'everyday.cpp', '-o', 'everyday.o'],
    trace: ['libc.so.6!**'],
    template: 'project',
  },
  {
    name: 'gcc, cc1 itself',
    command: 'gcc',
    args: ['-print-prog-name=cc1'],
    resolves: true,
    own: ['-quiet', '-O2', 'small.c', '-o', 'small.s'],
    trace: ['libc.so.6!**', 'libgmp*!**', 'libmpfr*!**'],
    template: 'project',
  },
  {
    name: 'sqlite3',
    command: 'sqlite3',
    args: ['shell.db'],
    stdin: sqlScript,
    trace: ['libsqlite3*!**', 'libc.so.6!**'],
  },
  {
    name: 'node, workers',
    command: 'node',
    args: [
      '-e',
      `
const { Worker } = require('node:worker_threads');
const { createHash } = require('node:crypto');
const source = "const { parentPort, workerData } = require('node:worker_threads'); let s = 0; for (let i = 0; i < 1e5; i++) s += i % workerData; parentPort.postMessage(s)";
Promise.all([3, 5, 7].map((workerData) => new Promise((done) => new Worker(source, { eval: true, workerData }).on('message', done)))).then((all) => {
  console.log(all, createHash('sha256').update(String(all)).digest('hex'));
  process.exitCode = 12;
  Promise.reject(new Error('unhandled')).catch((error) => console.error(error.message));
});`,
    ],
    trace: ['libc.so.6!**', 'libstdc++*!**'],
  },
  {
    name: 'node, its own functions',
    command: 'node',
    args: [
      '-e',
      "console.log([3, 1, 2].sort(), JSON.stringify({ a: 1 }), require('node:zlib').gzipSync('abc'.repeat(99)).length)",
    ],
    trace: [
      'node!node::fs::**',
      'node!node::crypto::**',
      'node!node::Environment::**',
      'node!uv_*',
    ],
  },
  {
    name: 'node, an error',
    command: 'node',
    args: ['-e', 'null.x'],
    trace: ['node!v8::internal::Isolate::**'],
  },
  {
    name: 'gdb in batch mode',
    command: 'gdb',
    args: [
      '-nx',
      '-batch',
      '-ex',
      'python print(sum(range(100)))',
      '-ex',
      'print 6*7',
      '-ex',
      'ptype struct nothing',
      '-ex',
      'info functions ^main$',
      '/bin/true',
    ],
    trace: ['libpython*!**', 'libc.so.6!**'],
  },
  {
    name: 'gdb --version',
    command: 'gdb',
    args: ['--version'],
    trace: ['libstdc++*!**', 'libpython*!**'],
  },
  {
    name: 'openssl, digest',
    command: 'openssl',
    args: ['dgst', '-sha512', 'numbers.txt'],
    trace: ['libcrypto*!**'],
    template: 'texts',
  },
  {
    name: 'openssl, cipher',
    command: 'openssl',
    args: [
      'enc',
      '-aes-256-cbc',
      '-K',
      '00'.repeat(32),
      '-iv',
      '11'.repeat(16),
      '-in',
      'numbers.txt',
      '-out',
      'numbers.enc',
    ],
    trace: ['libcrypto*!**', 'libc.so.6!**'],
    template: 'texts',
  },
  {
    name: 'openssl, a wrong certificate',
    command: 'openssl',
    args: ['x509', '-in', 'words.txt', '-noout'],
    trace: ['libssl*!**', 'libcrypto*!**'],
    template: 'texts',
    mask: /^[0-9A-F]{12,16}(?=:error)/gm,
    because: 'the error lines begin with a thread number',
  },
  {
    name: 'curl, a file',
    command: 'curl',
    args: ['-s', 'file:///etc/passwd', '--output', 'copy'],
    trace: ['libcurl*!**', 'libcrypto*!**', 'libc.so.6!**'],
  },
  {
    name: 'curl, refused',
    command: 'curl',
    args: ['-sS', 'http://127.0.0.1:1/'],
    trace: ['libcurl*!**', 'libc.so.6!**'],
    mask: /after \d+ ms/g,
    because: 'it tells its time',
  },
  {
    name: 'tclsh',
    command: 'tclsh',
    args: [],
    stdin:
      'proc f n {expr {$n < 2 ? $n : [f [expr {$n-1}]] + [f [expr {$n-2}]]}}\nputs [f 14]\nputs [catch {error oops} e]$e\nputs [exec echo child]\nputs [regsub -all {a(.)} abacad {<\\1>}]\n',
    trace: ['libtcl*!**', 'libc.so.6!**'],
  },
  { name: 'C++, everything of its own', built: 'everyday', trace: ['**'] },
  { name: 'C++, libstdc++', built: 'everyday', trace: ['libstdc++*!**'] },
  { name: 'C++, libc and libgcc', built: 'everyday', trace: ['libc.so.6!**', 'libgcc_s*!**'] },
  {
    name: 'C++ at -O2, all together',
    built: 'everydayFast',
    trace: ['**', 'libstdc++*!**', 'libc.so.6!**', 'libm.so.6!**'],
  },
  {
    name: 'C++, an uncaught exception',
    built: 'everyday',
    args: ['uncaught'],
    trace: ['**', 'libstdc++*!**'],
  },
  {
    name: 'C++, static libgcc and libstdc++',
    built: 'everydayStatic',
    trace: ['everyday::**', 'std::**'],
  },
  { name: 'Rust, everything of its own', built: 'everydayRust', trace: ['**'], ...panics },
  { name: 'Rust, libc', built: 'everydayRust', trace: ['libc.so.6!**', 'everyday::**'], ...panics },
  {
    name: 'the loader',
    command: 'ls',
    args: ['.'],
    trace: ['ld-linux-x86-64.so.2!**'],
    template: 'texts',
  },
  {
    name: 'through pipes: C++',
    built: 'everyday',
    trace: ['everyday::**', 'libstdc++*!**'],
    launch: true,
  },
  {
    name: 'through pipes: python3',
    ...python(
      'import sys; print("out"); print("err", file=sys.stderr); print(sum(range(10**4))); sys.exit(21)',
    ),
    trace: ['**'],
    launch: true,
  },
  {
    name: 'through pipes: git log',
    command: 'git',
    args: ['log', '--oneline', '--stat'],
    trace: ['libc.so.6!**'],
    template: 'repository',
    launch: true,
  },
  {
    name: 'through pipes: bash',
    ...bash('echo one; echo two >&2; seq 300 | sort -rn; exit 8'),
    trace: ['**', 'libc.so.6!**'],
    launch: true,
  },
  {
    name: 'through pipes: sqlite3',
    command: 'sqlite3',
    args: [
      ':memory:',
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) select i, i * i from n',
    ],
    trace: ['libsqlite3*!**'],
    launch: true,
  },
];
