/*
 * Brings programs of others into .cache/foreign for `npm run proof foreign`: packages of Debian, downloaded and unpacked
 * without being installed, and what is built of proof/targets/foreign with them. `node scripts/foreign.mjs [name …]`, which
 * the proof does. What cannot be had is skipped there.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache', 'foreign');
const targets = join(root, 'proof', 'targets', 'foreign');
const libraries = 'usr/lib/x86_64-linux-gnu';

/** `alone`: packages of which the files are wanted, and not what they need. */
const packages = {
  xvfb: { whole: ['xvfb'] },
  openbox: { whole: ['openbox'] },
  luajit: { whole: ['luajit'] },
  qt: { whole: ['libqt5widgets5'], alone: ['qtbase5-dev'] },
  gtk: { whole: ['libgtk-3-0'] },
  musl: { whole: ['musl', 'musl-dev'] },
  haskell: { whole: ['shellcheck'] },
  ocaml: { whole: ['ocaml'] },
  chromium: { whole: ['chromium'] },
  zsh: { whole: ['zsh'] },
  fish: { whole: ['fish'] },
  channels: {
    whole: [
      'pulseaudio',
      'pulseaudio-utils',
      'alsa-utils',
      'libasound2-plugins',
      'fluidsynth',
      'timgm6mb-soundfont',
      'jackd2',
      'redis-server',
      'redis-tools',
      'xclip',
      'mousepad',
      'libglib2.0-bin',
    ],
  },
};

const builders = {
  qt: (folder) => {
    const include = join(folder, 'usr/include/x86_64-linux-gnu/qt5');
    const modules = ['Core', 'Gui', 'Widgets'];
    const headers = ['', ...modules.map((name) => `Qt${name}`)].map(
      (name) => `-I${join(include, name)}`,
    );
    const linked = modules.map((name) => join(folder, libraries, `libQt5${name}.so.5`));
    return ['g++', '-g', '-O1', '-fPIC', '-w', ...headers, 'window.cpp', ...linked, ...unresolved];
  },
  gtk: (folder) => {
    const linked = ['gtk-3', 'gobject-2.0', 'glib-2.0'].map((name) =>
      found(folder, `lib${name}.so.0`),
    );
    return ['gcc', '-g', '-O1', 'window.c', ...linked, ...unresolved];
  },
  musl: (folder) => {
    const own = join(folder, 'usr/lib/x86_64-linux-musl');
    const loader = `-Wl,-dynamic-linker,${join(folder, 'lib/ld-musl-x86_64.so.1')}`;
    const headers = ['-nostdinc', '-isystem', join(folder, 'usr/include/x86_64-linux-musl')];
    const start = ['Scrt1.o', 'crti.o'].map((name) => join(own, name));
    const end = [join(folder, 'lib/x86_64-linux-musl/libc.so'), join(own, 'crtn.o')];
    return ['gcc', '-g', '-O1', '-nostdlib', ...headers, ...start, 'small.c', ...end, loader];
  },
  ocaml: (folder) => [join(folder, 'usr/bin/ocamlopt'), '-g', 'small.ml'],
};
const unresolved = ['-Wl,--allow-shlib-undefined'];

/** A library of a package, or the system's where that is installed. */
function found(folder, name) {
  const library = join(folder, libraries, name);
  return existsSync(library) ? library : join('/', libraries, name);
}

function run(command, words, more = {}) {
  const ran = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 1 << 28, ...more });
  if (ran.status === 0) return ran.stdout;
  throw new Error(`${command} ${words.at(-1)}: ${String(ran.error ?? ran.stderr).slice(-400)}`);
}

/** Downloads what is not installed of packages, with what they need, into a folder. */
function download(folder, words) {
  const archives = join(folder, 'archives');
  mkdirSync(join(archives, 'partial'), { recursive: true });
  const lists = join(cache, 'lists');
  const options = [
    '-q',
    '-y',
    '-o',
    'Debug::NoLocking=1',
    '-o',
    `Dir::Cache::Archives=${archives}`,
  ];
  const own = ['-o', `Dir::State::Lists=${lists}`];
  const command = [...words.slice(0, 1), '-d', '--no-install-recommends', ...words.slice(1)];
  try {
    run('apt-get', [...options, ...command]);
  } catch {
    // The machine's lists may be missing, or older than what is served.
    mkdirSync(join(lists, 'partial'), { recursive: true });
    run('apt-get', [...options, ...own, 'update']);
    run('apt-get', [...options, ...own, ...command]);
  }
  return archives;
}

function unpack(name, { whole, alone = [] }, folder) {
  const archives = download(folder, ['install', ...whole]);
  for (const one of alone) run('apt-get', ['-q', 'download', one], { cwd: archives });
  for (const archive of readdirSync(archives).filter((file) => file.endsWith('.deb')))
    run('dpkg-deb', ['-x', join(archives, archive), folder]);
  rmSync(archives, { recursive: true, force: true });
  writeFileSync(join(folder, '.unpacked'), `${name}\n`);
}

/** The packages of a name, unpacked in a folder of their own; throws the reason where they cannot be had. */
export function unpacked(name) {
  const folder = join(cache, name);
  if (!existsSync(join(folder, '.unpacked'))) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    unpack(name, packages[name], folder);
  }
  return folder;
}

/** What runs programs of unpacked packages: where their libraries are. */
export function environmentOf(folder) {
  const places = [libraries, 'lib/x86_64-linux-gnu', `${libraries}/pulseaudio`].map((place) =>
    join(folder, place),
  );
  return { LD_LIBRARY_PATH: places.filter((place) => existsSync(place)).join(':') };
}

/** The text of a script that runs a program of an unpacked package with the package's files below /usr. */
export function wrapper(folder, program) {
  const { LD_LIBRARY_PATH } = environmentOf(folder);
  const seen = `mount -t overlay overlay -o lowerdir=${folder}/usr:/usr /usr`;
  return `#!/bin/sh\nexec unshare -m sh -c '${seen} && LD_LIBRARY_PATH=${LD_LIBRARY_PATH} exec "$0" "$@"' ${program} "$@"\n`;
}

/** A program of a package, unpacked or installed. */
export function programIn(folder, path) {
  return [join(folder, path), join('/', path)].find((place) => existsSync(place)) ?? null;
}

/** The program that is built of proof/targets/foreign with the packages of a name. */
export function built(name) {
  const folder = unpacked(name);
  const program = join(folder, 'built', name);
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  // Compilers put what they make on the way beside the source.
  const sources = join(folder, 'built', 'sources');
  cpSync(targets, sources, { recursive: true });
  const [command, ...words] = builders[name](folder);
  const libraryOf = { ...process.env, OCAMLLIB: join(folder, 'usr/lib/ocaml') };
  run(command, [...words, '-o', program], { cwd: sources, env: libraryOf });
  return program;
}

/** The program of tokio's, built with the crates of the registry. */
export function builtTokio() {
  const folder = join(cache, 'tokio');
  const program = join(folder, 'release', 'served');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const manifest = join(targets, 'tokio', 'Cargo.toml');
  run('cargo', [
    'build',
    '--release',
    '--quiet',
    '--target-dir',
    folder,
    '--manifest-path',
    manifest,
  ]);
  return program;
}

/** The class files of proof/targets/foreign. */
export function builtJava() {
  const folder = join(cache, 'java');
  if (existsSync(join(folder, 'Small.class'))) return folder;
  mkdirSync(folder, { recursive: true });
  run('javac', ['-d', folder, join(targets, 'Small.java')]);
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  for (const name of wanted.length > 0 ? wanted : Object.keys(packages)) {
    try {
      console.log(builders[name] ? built(name) : unpacked(name));
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  }
}
