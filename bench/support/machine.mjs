import { execFileSync } from 'node:child_process';
import { cpus, hostname, loadavg, release, totalmem } from 'node:os';

function firstLine(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')[0]
      .trim();
  } catch {
    return null; // not installed
  }
}

/** What a figure depends on. */
export function machineFacts(root) {
  const [cpu] = cpus();
  const changed = firstLine('git', ['-C', root, 'status', '--porcelain', '--untracked-files=no']);
  return {
    host: hostname(),
    date: new Date().toISOString(),
    cpu: `${cpus().length} × ${cpu?.model ?? 'unknown'}`,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    load: loadavg()[0],
    kernel: release(),
    node: process.version,
    gcc: firstLine('gcc', ['--version']),
    python: firstLine('python3', ['--version']),
    uftrace: firstLine('uftrace', ['--version']) ?? 'not installed',
    commit: `${firstLine('git', ['-C', root, 'rev-parse', '--short', 'HEAD'])}${changed ? ' + local changes' : ''}`,
  };
}
