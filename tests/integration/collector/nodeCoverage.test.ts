import inspector, { Session } from 'node:inspector';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { showOriginalCoverage } from '../../../src/collector/node/preload/readers/coverage.ts';
import { keepText, rewrittenText } from '../../../src/collector/node/preload/rewrittenText.ts';
import { RecordingHooks } from '../../support/recordingHooks.ts';
import { rewritten } from '../../support/rewrittenScript.ts';

const original = `(function () { function pay(x) { if (x > 1) { return 'much' } return 'little' } return pay(1) })`;

interface Ranges {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number }[];
}

function runs(text: string, filename: string, hooks: RecordingHooks | null): void {
  Object.assign(globalThis, { $strobe: () => hooks });
  const made: unknown = new Script(text, { filename }).runInThisContext();
  if (typeof made === 'function') Reflect.apply(made, undefined, []);
  Reflect.deleteProperty(globalThis, '$strobe');
}

test('[node.coverage] who measures coverage in a traced process sees the original text', async () => {
  const { functions, inserts } = rewritten(original);
  const pairs = inserts.map(({ position, text }) => [position, text] as const);
  const text = rewrittenText('/t/traced.cjs', original, { inserts: pairs }, '1');
  keepText(text);
  const known = Object.getOwnPropertyDescriptor(inspector.Session.prototype, 'post');
  showOriginalCoverage();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  runs(original, '/t/untraced.cjs', null);
  runs(text.rewritten, '/t/traced.cjs', new RecordingHooks(functions));
  const told = await new Promise<inspector.Profiler.ScriptCoverage[]>((resolve) => {
    session.post('Profiler.takePreciseCoverage', (_error, { result }) => resolve(result));
  });
  session.disconnect();
  if (known) Object.defineProperty(inspector.Session.prototype, 'post', known);
  const of = (name: string): readonly Ranges[] =>
    told.find(({ url }) => url === `file:///t/${name}.cjs`)?.functions ?? [];
  expect(of('untraced')).toHaveLength(3);
  expect(of('traced')).toEqual(of('untraced'));
});
