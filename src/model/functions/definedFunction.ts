import type { TracedFunction, TracedProbe } from '../eventColumns.ts';
import type { NameStyle } from '../names/functionName.ts';
import { secretIn } from '../values/redaction.ts';
import type { ValueType } from '../values/valueType.ts';
import type { FunctionDefinition } from './definition.ts';

/**
 * A function that appeared at run time, as the store knows functions: its values describe themselves. Parameters
 * whose names hold one of `secretNames` are marked, and so is the result of a function with such a name.
 */
export function definedFunction(
  definition: FunctionDefinition,
  secretNames: readonly string[],
): TracedFunction {
  const { number, qualifiedName: name, file, line, offset, parameters, language } = definition;
  const probe = probeOf(definition);
  const typeOf = (named: string): ValueType => {
    const secret = secretIn(named, secretNames);
    return { kind: 'dynamic', language, ...(secret === null ? {} : { secret }) };
  };
  return {
    number,
    name,
    signature: probe === null ? `${name}(${parameters.join(', ')})` : name,
    linkageName: '',
    module: file,
    address: offset,
    file,
    line: line > 0 ? line : null,
    captured: parameters.map((parameter) => ({ name: parameter, type: typeOf(parameter) })),
    uncaptured: [],
    returns: probe === null ? typeOf(name.slice(name.lastIndexOf('.') + 1)) : { kind: 'void' },
    ...(probe === null ? {} : { endsUnseen: true, probe }),
  };
}

/** Null: it is no statement with a breakpoint. */
function probeOf({ probe }: FunctionDefinition): TracedProbe | null {
  if (probe === undefined) return null;
  try {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the daemon of the same build wrote it
    return JSON.parse(probe) as TracedProbe;
  } catch {
    return null;
  }
}

/** What parts the names of a function's language. */
export function nameStyleOf({ returns }: TracedFunction): NameStyle {
  const language = returns.kind === 'dynamic' ? returns.language : null;
  return language === 'python' || language === 'javascript' ? 'dotted' : 'native';
}
