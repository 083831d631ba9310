import type { TracedFunction } from '../eventColumns.ts';
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
  const typeOf = (named: string): ValueType => {
    const secret = secretIn(named, secretNames);
    return { kind: 'dynamic', language, ...(secret === null ? {} : { secret }) };
  };
  return {
    number,
    name,
    signature: `${name}(${parameters.join(', ')})`,
    linkageName: '',
    module: file,
    address: offset,
    file,
    line: line > 0 ? line : null,
    captured: parameters.map((parameter) => ({ name: parameter, type: typeOf(parameter) })),
    uncaptured: [],
    returns: typeOf(name.slice(name.lastIndexOf('.') + 1)),
  };
}

/** What parts the names of a function's language. */
export function nameStyleOf({ returns }: TracedFunction): NameStyle {
  const language = returns.kind === 'dynamic' ? returns.language : null;
  return language === 'python' || language === 'javascript' ? 'dotted' : 'native';
}
