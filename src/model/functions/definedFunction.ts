import type { TracedFunction } from '../eventColumns.ts';
import type { ValueType } from '../values/valueType.ts';
import type { FunctionDefinition } from './definition.ts';

/** A function that appeared at run time, as the store knows functions: its values describe themselves. */
export function definedFunction(definition: FunctionDefinition): TracedFunction {
  const { number, qualifiedName: name, file, line, offset, parameters, language } = definition;
  const type: ValueType = { kind: 'dynamic', language };
  return {
    number,
    name,
    signature: `${name}(${parameters.join(', ')})`,
    linkageName: '',
    module: file,
    address: offset,
    file,
    line: line > 0 ? line : null,
    captured: parameters.map((parameter) => ({ name: parameter, type })),
    uncaptured: [],
    returns: type,
  };
}
