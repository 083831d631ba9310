import type { FoundFunction } from '../../../../model/functions/foundFunction.ts';

/** What the debug information says of a function's interface. */
export type FunctionDetails = Pick<
  FoundFunction,
  | 'signature'
  | 'linkageName'
  | 'parameters'
  | 'returns'
  | 'returnPlace'
  | 'stackBytes'
  | 'variadic'
  | 'opensStack'
  | 'isImplicit'
>;
