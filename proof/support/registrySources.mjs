/* Sources of published releases, each by its version and its hash, by the registry's own client. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const run = (command, words, options = {}) =>
  execFileSync(command, words, { stdio: ['ignore', 'pipe', 'pipe'], ...options });

/** The folder of a release's sources; throws where its bytes are not those that were written down. */
export function fetched({ registry, name, version, sha256 }) {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  const found = fetchers[registry]({ name, version, sha256, folder });
  if (found.sha256 !== sha256)
    throw new Error(`${registry} ${name} ${version} has the hash ${found.sha256}, not ${sha256}`);
  return found.path;
}

const fetchers = {
  'crates.io': ({ name, version, folder }) => {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'lib.rs'), '');
    const manifest = `[package]\nname = "fetch"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n${name} = "=${version}"\n`;
    writeFileSync(join(folder, 'Cargo.toml'), manifest);
    run('cargo', ['vendor', '-q', '--versioned-dirs', 'vendor'], { cwd: folder });
    const path = join(folder, 'vendor', `${name}-${version}`);
    const sums = JSON.parse(readFileSync(join(path, '.cargo-checksum.json'), 'utf8'));
    return { path, sha256: sums.package };
  },
  PyPI: ({ name, version, folder }) => {
    const words = ['-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', ':all:', '-d', '.'];
    run('python3', [...words, `${name}==${version}`], { cwd: folder });
    return unpacked(folder, /\.tar\.gz$/);
  },
  npm: ({ name, version, folder }) => {
    run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder });
    return unpacked(folder, /\.tgz$/);
  },
  // The release as its authors made it: Debian's own patches, which may mend it, lie beside it.
  Debian: ({ name, version, folder }) => {
    const lists = join(folder, 'lists');
    mkdirSync(join(lists, 'partial'), { recursive: true });
    const from = ['bookworm main', 'bookworm-updates main'].map(
      (suite) => `deb-src http://deb.debian.org/debian ${suite}\n`,
    );
    const security = 'deb-src http://deb.debian.org/debian-security bookworm-security main\n';
    writeFileSync(join(folder, 'sources.list'), [...from, security].join(''));
    const options = [
      `Dir::Etc::SourceList=${join(folder, 'sources.list')}`,
      'Dir::Etc::SourceParts=/dev/null',
      `Dir::State::Lists=${lists}`,
      'APT::Sandbox::User=root',
    ].flatMap((option) => ['-o', option]);
    run('apt-get', [...options, '-qq', 'update'], { cwd: folder });
    run('apt-get', [...options, '-qq', 'source', '--download-only', `${name}=${version}`], {
      cwd: folder,
    });
    return unpacked(folder, /\.orig\.tar\.(?:gz|xz|bz2)$/);
  },
};

function unpacked(folder, form) {
  const archive = readdirSync(folder).find((file) => form.test(file));
  const sha256 = createHash('sha256')
    .update(readFileSync(join(folder, archive)))
    .digest('hex');
  const path = join(folder, 'unpacked');
  mkdirSync(path);
  run('tar', ['xf', join(folder, archive), '-C', path, '--strip-components=1']);
  for (const file of readdirSync(folder).filter((name) => /\.debian\.tar\./.test(name)))
    run('tar', ['xf', join(folder, file), '-C', path]);
  return { path, sha256 };
}
