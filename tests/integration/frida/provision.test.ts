import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findProvisioned, provisionFrida } from '../../../src/collector/frida/provision.ts';
import { refusal } from '../../support/refusal.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sv-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

describe('installing Frida [host.provision]', () => {
  it('happens once for two at once, complete or not at all', async () => {
    expect(await findProvisioned({ home })).toBeNull();
    const told: string[] = [];
    const [one, two] = await Promise.all([
      provisionFrida({ home, progress: (message) => told.push(message) }),
      provisionFrida({ home, progress: (message) => told.push(message) }),
    ]);
    expect(one).toEqual(two);
    expect(told.filter((line) => line.startsWith('installing'))).toHaveLength(1);
    expect(readdirSync(join(home, 'runtime'))).toEqual([`frida-${one.version}`]);
    expect(readdirSync(one.folder)).toContain('frida');
    expect(statSync(one.folder).mode & 0o777).toBe(0o700);
    expect(await findProvisioned({ home })).toEqual(one);
  }, 300_000);

  it('says that there is no Python', async () => {
    expect(await refusal(provisionFrida({ home, python: 'nopython' }))).toMatch(
      /^FRIDA_MISSING: [^]*frida.python/,
    );
  });

  it('says that there is no pip', async () => {
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(home, 'venv')]);
    expect(
      await refusal(provisionFrida({ home, python: join(home, 'venv', 'bin', 'python') })),
    ).toMatch(/^FRIDA_MISSING: [^]*no pip/);
  });

  it('says that the index cannot be reached, and leaves nothing behind', async () => {
    vi.stubEnv('PIP_INDEX_URL', 'http://127.0.0.1:9/simple');
    vi.stubEnv('PIP_FIND_LINKS', '');
    vi.stubEnv('PIP_RETRIES', '0');
    vi.stubEnv('NO_PROXY', '127.0.0.1');
    expect(await refusal(provisionFrida({ home }))).toMatch(
      /^FRIDA_MISSING: [^]*cannot be reached[^]*pip download [^]*requirements\.txt[^]*PIP_NO_INDEX=1 PIP_FIND_LINKS=/,
    );
    expect(readdirSync(join(home, 'runtime'))).toEqual([]);
  });
});
