import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import type { TestClient } from './client.ts';
import type { TestHome } from './home.ts';
import { at, numberAt } from './read.ts';
import { launch } from './runs.ts';
import { buildTarget } from './targets.ts';

/** Takes a processor until it is disposed of. */
class Hog implements Disposable {
  readonly #child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}

/** What answers of one run said: how many knew everything, and how many said that the index was behind. */
export interface Said {
  readonly final: number;
  readonly behind: number;
}

/**
 * Runs a program on a loaded machine that makes many calls, prints how many, and ends. No answer may give counts or say that
 * there is no output unless it is final, or says that it is not.
 */
export async function expectNothingEarly(
  client: TestClient,
  home: TestHome,
  calls: number,
): Promise<Said> {
  using _one = new Hog();
  using _two = new Hog();
  const program = buildTarget('e2e/evenlyHot.c', ['-O1', '-pthread']);
  const { sessionId } = await launch(client, home, program, {
    args: ['even', '50', String(calls / 2), '2'],
    patterns: [{ pattern: 'crowd_*', sampling: 'off' }],
  });
  const said = { final: 0, behind: 0 };
  const check = async (tool: string, request: object): Promise<void> => {
    const { text, structured } = await client.ok(tool, { sessionId, ...request });
    const isBehind = /^! The index is .* behind/m.test(text);
    said[isBehind ? 'behind' : 'final'] += 1;
    if (isBehind) {
      expect(text).toContain('output and counts are not final');
      expect(text).not.toMatch(/^no output$/im);
      return;
    }
    expect(numberAt(structured, 'counters', 'seen'), text).toBe(2 * calls);
    if (at(request, 'action') !== 'stop' && at(request, 'view') !== 'stats')
      expect(JSON.stringify(structured), text).toContain(`calls ${calls}`);
  };
  await check('debug_session', { action: 'wait', for: ['exit'], timeoutMs: 50_000 });
  await check('debug_query', { view: 'output' });
  await check('debug_query', { view: 'stats' });
  await check('debug_session', { action: 'status' });
  await check('debug_session', { action: 'stop' });
  return said;
}
