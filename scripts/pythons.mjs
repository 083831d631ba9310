/*
 * Puts CPython 3.14 and 3.15 into .cache/pythons, from Debian's packages: `node scripts/pythons.mjs`, which `npm test`
 * does. They come through apt with lists of its own, are unpacked and not installed, and run with the C library of
 * their distribution. Each package must have the hash that is written here; a version that Debian has replaced cannot
 * be had any more, and tests of it are skipped.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, '.cache', 'pythons');
const lists = join(cache, 'apt');
const hashes = JSON.parse(readFileSync(join(root, 'scripts/pythons.json'), 'utf8'));
const limitMs = 120_000;

const options = Object.entries({
  'Dir::Etc::SourceList': join(lists, 'sources.list'),
  'Dir::Etc::SourceParts': '/dev/null',
  'Dir::State': join(lists, 'state'),
  'Dir::State::status': '/dev/null',
  'Dir::Cache': join(lists, 'cache'),
  'APT::Architecture': 'amd64',
  'APT::Sandbox::User': 'root',
  'Acquire::Languages': 'none',
  'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
}).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

function run(command, args, cwd) {
  const { status, stderr } = spawnSync(command, args, { cwd, timeout: limitMs, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.at(-1)}: ${stderr.slice(-500)}`);
}

function updateLists() {
  for (const folder of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(lists, folder), { recursive: true });
  // The patchelf of sid damages these programs: its segments overlap.
  const sources = ['sid', 'bookworm'].map(
    (suite) =>
      `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${suite} main\n`,
  );
  writeFileSync(join(lists, 'sources.list'), sources.join(''));
  run('apt-get', [...options, 'update'], lists);
}

/** The packages of a list, by the names of their files; throws when one has another hash. */
function download(packages, folder) {
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(packages).map(([name, { version }]) => `${name}=${version}`);
  run('apt-get', [...options, 'download', ...wanted], folder);
  return readdirSync(folder).map((file) => {
    const name = file.slice(0, file.indexOf('_'));
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    if (packages[name]?.sha256 !== hash) throw new Error(`${file} has another hash: ${hash}`);
    return join(folder, file);
  });
}

function unpack(files, folder) {
  for (const file of files) run('dpkg-deb', ['-x', file, folder], folder);
}

/** One of them, in a folder that is complete or not there. */
function put(minor, tools) {
  const folder = join(cache, `3.${minor}`);
  const draft = `${folder}.${process.pid}`;
  const packages = { ...hashes.shared, ...hashes[`3.${minor}`] };
  const files = download(packages, join(draft, 'packages'));
  unpack(files, draft);
  rmSync(join(draft, 'packages'), { recursive: true });
  const libraries = join(folder, 'usr/lib/x86_64-linux-gnu');
  const program = join(draft, `usr/bin/python3.${minor}`);
  const loader = 'ld-linux-x86-64.so.2';
  const flags = [
    '--set-interpreter',
    join(libraries, loader),
    '--force-rpath',
    '--set-rpath',
    libraries,
  ];
  // It needs libraries that may not be installed.
  const drafted = join(draft, 'usr/lib/x86_64-linux-gnu');
  const paths = [drafted, join(tools, 'usr/lib/x86_64-linux-gnu')].join(':');
  const patchelf = join(tools, 'usr/bin/patchelf');
  run(join(drafted, loader), ['--library-path', paths, patchelf, ...flags, program], cache);
  renameSync(draft, folder);
  run(join(folder, `usr/bin/python3.${minor}`), ['-c', 'import asyncio, ctypes'], cache);
}

function putAll() {
  const missing = [14, 15].filter((minor) => !existsSync(join(cache, `3.${minor}`)));
  if (missing.length === 0) return;
  mkdirSync(cache, { recursive: true });
  updateLists();
  const tools = join(cache, `tools.${process.pid}`);
  try {
    unpack(download(hashes.tools, join(tools, 'packages')), tools);
    for (const minor of missing) put(minor, tools);
  } finally {
    rmSync(tools, { recursive: true, force: true });
    rmSync(lists, { recursive: true, force: true });
  }
}

try {
  putAll();
} catch (error) {
  console.error(`CPython 3.14 and 3.15 cannot be had: ${error.message}`);
  process.exitCode = 1;
}
