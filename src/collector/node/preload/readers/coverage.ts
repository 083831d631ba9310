import inspector from 'node:inspector';
import {
  originalCoverage,
  type FunctionCoverage,
} from '../../../../model/rewriting/originalCoverage.ts';
import { hide } from '../standIns.ts';
import { pathOfUrl, textsOf } from '../rewrittenText.ts';

export interface ScriptCoverage {
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
export function ofOriginal(script: ScriptCoverage): ScriptCoverage {
  const { url, functions } = script;
  const texts = textsOf(url);
  if (texts.length === 0) return script;
  const end = functions[0]?.ranges[0]?.endOffset ?? 0;
  // Node puts the name behind TypeScript whose types it took away.
  const added = [0, ...[url, pathOfUrl(url)].map((name) => NAMED + name.length)];
  const text = texts.find(({ rewritten }) => added.includes(end - rewritten.length));
  return text ? { ...script, functions: originalCoverage(functions, text) } : script;
}

const NAMED = '\n\n//# sourceURL='.length;
