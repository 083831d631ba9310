import type { Evaluated, EvaluateRequest } from '../../../model/debug/evaluated.ts';
import type { Snapshot } from '../../../model/endings/snapshot.ts';
import type { Value } from '../../../model/questions/query.ts';
import { evaluate, type Known } from '../../../model/watches/evaluate.ts';
import type { Expression } from '../../../model/watches/expression.ts';
import type { CodeReader } from '../index/codeReader.ts';
import type { Library } from '../index/library.ts';
import { CodeMap } from './codeMap.ts';
import { CannotEvaluate, Operands, type Scene } from './operands.ts';
import { died, readers, stackContext, type PostMortemOptions } from './postMortem.ts';
import { describeStack, type StackContext } from './stacks.ts';

/**
 * Evaluates an expression in a frame of the first thread of a snapshot; of one without threads by the globals of its
 * program alone. Reads memory, and nothing else. Never throws.
 */
export function evaluateIn(
  snapshot: Snapshot,
  library: Library,
  options: PostMortemOptions,
  request: EvaluateRequest,
): Evaluated {
  using code = new CodeMap(snapshot.mappings);
  const known = new Map<string, CodeReader | null>();
  const codeOf = readers(library, known, new Set());
  const context = stackContext(snapshot, options, code, codeOf);
  try {
    const scene = sceneOf(context, request.frame, options.own);
    return evaluated(request.expression, new Operands(scene, request.elements));
  } catch (error) {
    if (error instanceof CannotEvaluate) return { why: error.message };
    return { why: 'its debug information is damaged' };
  }
}

function sceneOf(context: StackContext, frame: number, own: readonly string[]): Scene {
  const [thread] = context.snapshot.threads;
  if (!thread) return programScene(context, own);
  const limits = { ...died, withVariables: 0, only: frame };
  const { stack, variables, asked } = describeStack(thread, context, limits);
  if (!stack.frames[frame])
    throw new CannotEvaluate(`there is no frame ${frame}: there are ${stack.frames.length}`);
  if (!asked) throw new CannotEvaluate(`frame ${frame} has no debug information`);
  const { types, memory, bias, fn } = asked;
  return { types, memory, bias, unit: fn.unit, variables: variables.get(frame) ?? [] };
}

function programScene(context: StackContext, own: readonly string[]): Scene {
  const { code, memory, snapshot } = context;
  for (const path of own) {
    const mapping = snapshot.mappings.find((row) => row.path === path);
    const module = mapping && code.moduleAt(mapping.start);
    const types = context.codeOf(path)?.types();
    if (module && types) return { types, memory, bias: module.bias, unit: null, variables: [] };
  }
  throw new CannotEvaluate('the program has no debug information');
}

function evaluated(expression: Expression, operands: Operands): Evaluated {
  const operand = operands.of(expression);
  if (operand) return operands.describe(operand);
  const known = evaluate(expression, operands);
  if (known === null) throw new CannotEvaluate('what it is made of is not known here');
  return { value: computed(known), type: null, place: null, bytes: 0, scalar: null };
}

function computed(known: Exclude<Known, null>): Value {
  if (typeof known === 'string') return { kind: 'string', text: known, truncated: false };
  if (typeof known === 'number') return { kind: 'float', value: known };
  return { kind: 'int', text: String(known) };
}
