import { nearest } from '../base/nearest.ts';
import { StrobeError } from '../model/errors.ts';
import type { ChosenTest } from './adapter.ts';

const mostCandidates = 8;

/** What a name given by the caller means. */
export interface FoundTests {
  readonly tests: readonly ChosenTest[];
  /** Said when the name was not exact. */
  readonly note: string | null;
}

/** The tests with exactly this id or name; a test of several binaries may be several. */
export function exactTests(wanted: string, known: readonly ChosenTest[]): ChosenTest[] {
  const byId = known.filter((test) => test.id === wanted);
  return byId.length > 0 ? byId : known.filter((test) => test.name === wanted);
}

/**
 * The tests that a name means among all there are: exact, else the one whose last part it is, else
 * the only one that contains it; the cases of one parametrised test count as one. UNKNOWN_TEST
 * names the candidates.
 */
export function findTests(wanted: string, known: readonly ChosenTest[]): FoundTests {
  const exact = exactTests(wanted, known);
  if (exact.length > 0) return { tests: exact, note: null };
  const low = wanted.toLowerCase();
  const groups = [
    known.filter((test) => lastPart(test) === wanted),
    known.filter((test) => lastPart(test).toLowerCase() === low),
    known.filter((test) => `${test.id}\n${test.name}`.toLowerCase().includes(low)),
  ];
  const fitting = groups.find((group) => group.length > 0) ?? [];
  const names = [...new Set(fitting.map(withoutCase))];
  const [only] = names;
  if (only !== undefined && names.length === 1)
    return { tests: fitting, note: `"${wanted}" was taken for ${only}` };
  throw only === undefined ? unknown(wanted, known) : ambiguous(wanted, fitting);
}

function ambiguous(wanted: string, fitting: readonly ChosenTest[]): StrobeError {
  return new StrobeError(
    'UNKNOWN_TEST',
    `"${wanted}" fits ${fitting.length} tests: ${listed(fitting.map((test) => test.name))}.`,
  );
}

function unknown(wanted: string, known: readonly ChosenTest[]): StrobeError {
  if (known.length === 0)
    return new StrobeError(
      'UNKNOWN_TEST',
      `No test is called "${wanted}": no tests were found at all.`,
      'Run without test to see why.',
    );
  const parts = new Map(known.map((test) => [distinctPart(test), test.name]));
  const close = nearest(distinctPart({ id: wanted, name: wanted }), [...parts.keys()], 3);
  const names = close.flatMap((part) => parts.get(part) ?? []);
  return new StrobeError(
    'UNKNOWN_TEST',
    `None of ${known.length} tests is called "${wanted}".${names.length > 0 ? ` Did you mean ${listed(names)}?` : ''}`,
    names.length > 0
      ? 'Give one of the names suggested.'
      : `Names look like this: ${listed(known.slice(0, 3).map((test) => test.name))}.`,
  );
}

function listed(names: readonly string[]): string {
  const shown = [...new Set(names)].slice(0, mostCandidates);
  return `${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}

/** `test_total` of `tests/test_cart.py::test_total[2]`. */
function lastPart(test: Pick<ChosenTest, 'id' | 'name'>): string {
  const name = withoutCase(test);
  return name.split(/::| > |(?<=\w)[./](?=\w)/).at(-1) ?? name;
}

/** Its last part without what all tests are called. */
function distinctPart(test: Pick<ChosenTest, 'id' | 'name'>): string {
  const part = lastPart(test);
  return part.replace(/^test_?(?=.)/i, '');
}

/** The name without the parameters of its case. */
function withoutCase({ name }: Pick<ChosenTest, 'id' | 'name'>): string {
  return name.replace(/\[.*\]$/, '').replace(/\/\d+$/, '');
}
