import type { DebugProtocol } from '@vscode/debugprotocol';
import type { AskedObject } from '../tools/askedBreakpoint.ts';

type ExceptionPlace = Pick<AskedObject, 'exception' | 'caught'>;

interface ExceptionFilter {
  readonly where: ExceptionPlace;
  readonly label: string;
  readonly description: string;
  /** Of what it may mean only exceptions of a type; null: it has no types. */
  readonly example: string | null;
}

/** What an editor can have a thread stopped by, by the name of its filter. */
const filters = {
  cpp: {
    where: { exception: 'cpp' },
    label: 'C++ exceptions',
    description: 'Stops where C++ throws.',
    example: 'std::runtime_error',
  },
  panic: {
    where: { exception: 'panic' },
    label: 'Rust panics',
    description: 'Stops where Rust panics.',
    example: null,
  },
  python: {
    where: { exception: 'python' },
    label: 'Python exceptions',
    description: 'Stops where Python raises, also what is caught later.',
    example: 'ValueError',
  },
  pythonUncaught: {
    where: { exception: 'python', caught: 'uncaught' },
    label: 'Uncaught Python exceptions',
    description: 'Stops where Python raises what nothing catches.',
    example: 'ValueError',
  },
  js: {
    where: { exception: 'js' },
    label: 'JavaScript exceptions',
    description: 'Stops where JavaScript throws, also what is caught later.',
    example: 'RangeError',
  },
  jsUncaught: {
    where: { exception: 'js', caught: 'uncaught' },
    label: 'Uncaught JavaScript exceptions',
    description: 'Stops where JavaScript throws what nothing catches.',
    example: 'RangeError',
  },
} as const satisfies Record<string, ExceptionFilter>;

export type ExceptionFilterName = keyof typeof filters;

// oxlint-disable-next-line typescript/consistent-type-assertions -- its keys are these
export const exceptionFilterNames = Object.keys(filters) as ExceptionFilterName[];

export function whereOfFilter(name: ExceptionFilterName): ExceptionPlace {
  return filters[name].where;
}

/** As initialize tells them. */
export const exceptionBreakpointFilters: DebugProtocol.ExceptionBreakpointsFilter[] =
  exceptionFilterNames.map((filter) => {
    const { label, description, example } = filters[filter];
    const conditions = {
      supportsCondition: true,
      conditionDescription: `A type, also of those derived from it: ${example}`,
    };
    return { filter, label, description, ...(example === null ? {} : conditions) };
  });
