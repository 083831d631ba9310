import inspector from 'node:inspector';
import {
  originalCoverage,
  type FunctionCoverage,
} from '../../../model/rewriting/originalCoverage.ts';
import { hide } from './loaders.ts';
import { textsOf } from './rewrittenText.ts';

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

interface CoverageAnswer {
  readonly result: readonly ScriptCoverage[];
}

type Answered = (error: Error | null, answer?: CoverageAnswer) => void;

/** What measures coverage in this process, as Vitest and Jest do, sees that of the original texts. */
export function showOriginalCoverage(): void {
  const { prototype } = inspector.Session as unknown as { prototype: { post: Post } };
  const { post } = prototype;
  prototype.post = function (method, ...words) {
    const answered = words.at(-1);
    if (!method.endsWith('Coverage') || typeof answered !== 'function')
      return Reflect.apply(post, this, [method, ...words]);
    const told: Answered = (error, answer) => {
      const mapped = Array.isArray(answer?.result)
        ? { ...answer, result: answer.result.map(ofOriginal) }
        : answer;
      Reflect.apply(answered, undefined, [error, mapped]);
    };
    return Reflect.apply(post, this, [method, ...words.slice(0, -1), told]);
  };
  hide(prototype.post, post);
}

type Post = (this: object, method: string, ...words: unknown[]) => unknown;

/** Of several texts of one file, the one that is as long as the script. */
function ofOriginal(script: ScriptCoverage): ScriptCoverage {
  const end = script.functions[0]?.ranges[0]?.endOffset;
  const text = textsOf(script.url).find(({ rewritten }) => rewritten.length === end);
  return text ? { ...script, functions: originalCoverage(script.functions, text) } : script;
}
