import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { itNeeds } from '../support/needs.ts';
import { listAt, numberAt, textAt } from '../support/read.ts';
import { runToEnd } from '../support/runs.ts';
import { runStrobe } from '../support/strobe.ts';
import { withClient } from '../support/suite.ts';
import { buildTarget, targetSource } from '../support/targets.ts';

const source = readFileSync(targetSource('e2e/panics.go'), 'utf8').split('\n');

/** Where the target's source has these words first, from the line on that has others. */
function lineOf(words: string, behind = ''): number {
  const from = source.findIndex((line) => line.includes(behind));
  return source.findIndex((line, i) => i >= from && line.includes(words)) + 1;
}

describe('panics of Go', () => {
  const { home, client } = withClient();

  const program = (): string => buildTarget('e2e/panics.go');

  interface Panic {
    readonly text: string;
    readonly goroutine: number;
  }

  async function panicsOf(sessionId: string): Promise<readonly Panic[]> {
    const { structured } = await client.ok('debug_query', {
      sessionId,
      view: 'events',
      eventType: ['exception'],
      limit: 200,
      budget: 20_000,
    });
    return listAt(structured, 'events').map((event) => ({
      text: textAt(event, 'text'),
      goroutine: numberAt(event, 'threadId'),
    }));
  }

  itNeeds(
    'go',
    '[go.panic-events] each panic is an event: its value, where it began, what it left, where it was recovered',
    async () => {
      const run = await runToEnd(client, home, program(), { patterns: ['main.*'] });
      expect(run.exit).toEqual({ kind: 'exited', code: 0 });
      const panics = await panicsOf(run.sessionId);
      const recovered = `recovered in main.guarded.func1 (panics.go:${lineOf('recover()')})`;
      const left = `left main.work, main.through, ${recovered}`;
      const at = (words: string): string => `main.work (panics.go:${lineOf(words)})`;
      const handled = `recovered in main.handle (panics.go:${lineOf('recover()', 'func handle')})`;
      const runtimeError = 'panic runtime.errorString "runtime error:';
      const nilPointer = `${runtimeError} invalid memory address or nil pointer dereference"`;
      expect(panics.map(({ text }) => text)).toEqual([
        `panic "boom" in ${at('panic("boom")')}, ${left}`,
        `panic *errors.errorString "an error" in ${at('errors.New("an error")')}, ${left}`,
        `panic *fmt.wrapError "outer: inner" in ${at('fmt.Errorf')}, ${left}`,
        `panic *main.ConfigError {Path="a.conf", Line=7} in ${at('a.conf')}, ${left}`,
        `panic int 42 in ${at('panic(42)')}, ${left}`,
        `panic runtime.boundsError "runtime error: index out of range [5] with length 3" in main.index (panics.go:${lineOf('xs[i]')}), left main.index, main.work, main.through, ${recovered}`,
        `${nilPointer} in main.deref (panics.go:${lineOf('n.value')}), left main.deref, main.work, main.through, ${recovered}`,
        `panic *runtime.PanicNilError "panic called with nil argument" in ${at('panic(nil)')}, ${left}`,
        `panic runtime.plainError "assignment to entry in nil map" in ${at('m["x"]')}, ${left}`,
        `${runtimeError} integer divide by zero" in ${at('1 / zero')}, ${left}`,
        `panic *runtime.TypeAssertionError in ${at('x.(int)')}, ${left}`,
        `panic "boom" in ${at('panic("boom")')}, left main.work, recovered in main.again.func1 (panics.go:${lineOf('recover()', 'func again')})`,
        `panic "boom" once more in main.again.func1 (panics.go:${lineOf('panic(r)')}), left main.again.func1, main.work, ${handled}`,
        `panic "first" in main.replaced (panics.go:${lineOf('"first"')}), a later panic took its place`,
        `panic "second" in main.replaced.func1 (panics.go:${lineOf('"second"')}), left main.replaced.func1, ${handled}`,
        `panic "boom" in ${at('panic("boom")')}, ${left}`,
      ]);
      const numbers = panics.map(({ goroutine }) => goroutine);
      expect(new Set(numbers.slice(0, -1))).toEqual(new Set([1]));
      expect(numbers.at(-1)).toBeGreaterThan(1);
      const tree = await client.ok('debug_query', { sessionId: run.sessionId, view: 'tree' });
      expect(tree.text).toMatch(/main\.work\(.*✗ unwound by/);
    },
  );

  itNeeds(
    'go',
    '[go.stripped] panics of a stripped program have the names, files and lines of its stack, and no values',
    async () => {
      const stripped = buildTarget('e2e/panics.go', ['-ldflags=-s -w']);
      const run = await runToEnd(client, home, stripped, {
        args: ['text'],
        patterns: ['main.guarded'],
      });
      expect(run.exit).toEqual({ kind: 'exited', code: 2 });
      const panics = await panicsOf(run.sessionId);
      const began = `panic in main.work (panics.go:${lineOf('panic("boom")')})`;
      const recovered = `recovered in main.guarded.func1 (panics.go:${lineOf('recover()')})`;
      expect(panics[0]?.text).toMatch(/^panic in main\.work /);
      expect(panics[0]?.text.startsWith(began)).toBe(true);
      expect(panics[0]?.text.endsWith(recovered)).toBe(true);
      expect(panics.at(-1)?.text).toBe(`${began}, not recovered: it ended the program`);
    },
  );

  itNeeds(
    'go',
    '[go.panic-events] the panic that ended the program has its stack, also where its stderr is not recorded',
    async () => {
      const run = await runToEnd(client, home, program(), {
        args: ['nil'],
        patterns: ['main.work'],
      });
      expect(run.exit).toEqual({ kind: 'exited', code: 2 });
      const panics = await panicsOf(run.sessionId);
      expect(panics.at(-1)).toEqual({
        text: `panic runtime.errorString "runtime error: invalid memory address or nil pointer dereference" in main.deref (panics.go:${lineOf('n.value')}), not recovered: it ended the program`,
        goroutine: 1,
      });
    },
  );

  itNeeds(
    'go',
    '[go.panic-events] the report of a run begins with the panic that ended the program',
    async () => {
      const ended = await runStrobe({ env: home.env, cwd: home.project }, [
        'run',
        '--trace',
        'main.work',
        '--stats',
        '--',
        program(),
        'nil',
      ]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(
        /\nCRASH panic runtime\.errorString .*nil pointer dereference" in main\.deref .*it ended the program\nstack of goroutine 1/,
      );
    },
  );
});
