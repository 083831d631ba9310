import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';
import { Supervisor } from '../../../src/collector/supervisor/supervisorClient.ts';
import { encodeLaunchSpec } from '../../../src/collector/supervisor/launchSpec.ts';
import { ended, openSession, shell } from './supervisorSession.ts';

describe('a daemon that goes', () => {
  it('is not missed by the program, and the next one finds everything', async () => {
    await using session = await openSession(
      shell('echo one; read a; echo two $a; read b; echo three $b; exit 9', { stdin: 'open' }),
    );
    await session.until(() => session.text('stdout') === 'one\n');
    await session.readopt();
    await session.supervisor.input(Buffer.from('x\n'));
    await session.until(() => session.text('stdout').includes('two x'));
    await session.readopt();
    expect(session.supervisor.state).toBe('running');
    expect(session.supervisor.stdinOpen).toBe(true);
    await session.supervisor.input(Buffer.from('y\n'));
    await session.end();
    expect(session.text('stdout')).toBe('one\ntwo x\nthree y\n');
    await session.readopt();
    expect(session.supervisor.state).toBe('ended');
    expect(session.supervisor.exit).toEqual({ kind: 'exited', code: 9 });
  });

  it('killed with everything it holds, leaves supervisor and program running', async () => {
    const sessionDir = mkdtempSync(join(tmpdir(), 'sa-'));
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(${JSON.stringify(installPaths().supervisor)}, [${JSON.stringify(sessionDir)}, '3', '4'],
        { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
      child.stdio[3].end(Buffer.from(process.argv[1], 'base64'));
      child.stdio[4].once('data', () => process.kill(process.pid, 'SIGKILL'));`;
    const spec = encodeLaunchSpec(shell('echo up; read x; exit 3', { stdin: 'open' }));
    const daemon = spawn(process.execPath, ['-e', script, spec.toString('base64')], {
      stdio: 'ignore',
    });
    const signal = await new Promise((resolve) =>
      daemon.once('exit', (_code, name) => resolve(name)),
    );
    expect(signal).toBe('SIGKILL');
    await using supervisor = await Supervisor.adopt(sessionDir);
    await supervisor.input(Buffer.from('\n'));
    await ended(supervisor);
    expect(supervisor.exit).toEqual({ kind: 'exited', code: 3 });
    await supervisor.quit();
    rmSync(sessionDir, { recursive: true, force: true });
  });

  it('cannot adopt where no supervisor is, nor below a path that is too long', async () => {
    await expect(Supervisor.adopt('/nonexistent')).rejects.toMatchObject({
      code: 'SUPERVISOR_LOST',
    });
    await expect(Supervisor.adopt(`/tmp/${'x'.repeat(100)}`)).rejects.toMatchObject({
      code: 'PATH_TOO_LONG',
    });
  });

  it('leaves files that only the user can read', async () => {
    await using session = await openSession(shell('true'));
    expect(statSync(session.supervisor.logPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(session.sessionDir, 'supervisor.sock')).mode & 0o777).toBe(0o600);
  });
});

describe('inherited streams', () => {
  it('pass through untouched, with the exit status in the log', async () => {
    const sessionDir = mkdtempSync(join(tmpdir(), 'si-'));
    const spec = encodeLaunchSpec(
      shell('cat; echo err >&2; ps -o pgid= -p $$; exit 12', { stdio: 'inherit' }),
    );
    const child = spawn(installPaths().supervisor, [sessionDir, '3', '4'], {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    });
    const specPipe = child.stdio[3];
    if (specPipe && 'end' in specPipe) specPipe.end(spec);
    child.stdin?.end('through');
    const seen: string[] = [];
    child.stdout?.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
    const output = new Promise<void>((resolve) => child.stdout?.once('end', resolve));
    await output;
    expect(seen.join('')).toMatch(/^through/);
    expect(seen.join('').slice('through'.length).trim()).not.toBe(String(child.pid));
    await using supervisor = await Supervisor.adopt(sessionDir);
    await ended(supervisor);
    expect(supervisor.exit).toEqual({ kind: 'exited', code: 12 });
    await supervisor.quit();
    rmSync(sessionDir, { recursive: true, force: true });
  });
});
