import { parentPort } from 'node:worker_threads';
import type { ScriptFunction } from '../../model/rewriting/rewrittenModule.ts';
import type { LiveFunction, RewriteAnswer, RewriteRequest } from '../../protocol/nodeTracer.ts';
import { FunctionLocator } from '../../symbols/javascript/functionLocator.ts';
import { rewriteModule } from '../../symbols/javascript/rewriteModule.ts';
import { rewrittenMap } from '../../symbols/javascript/rewrittenMap.ts';

const locator = new FunctionLocator();

/** The thread that rewrites modules; what it is asked, it answers in turn. */
parentPort?.on('message', (request: RewriteRequest) => {
  parentPort?.postMessage(JSON.stringify(answerTo(request)));
});

function answerTo({ text, path, format, isLive = false, mapFor }: RewriteRequest): RewriteAnswer {
  const rewritten = rewriteModule({ text, file: path, format });
  if ('refusal' in rewritten) return { why: rewritten.refusal };
  const located = locator.locate(rewritten.functions, text, path);
  return {
    inserts: isLive ? [] : rewritten.inserts.map(({ position, text: put }) => [position, put]),
    functions: located.map(({ offset, file, refusal }, index) => ({
      offset,
      ...(file === undefined ? {} : { file }),
      ...(refusal === null ? {} : { why: refusal }),
      ...(isLive ? { live: liveFunction(rewritten.functions[index]) } : {}),
    })),
    variables: rewritten.variables,
    ...(mapFor === undefined ? {} : { map: rewrittenMap(text, path, rewritten.inserts, mapFor) }),
  };
}

const suspending: ReadonlySet<ScriptFunction['kind']> = new Set([
  'generator',
  'coroutine',
  'asyncGenerator',
]);
const plainName = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** Where a function of a running text can be heard. */
function liveFunction(fn: ScriptFunction | undefined): LiveFunction {
  const { body = 0, end = 0, kind = 'function', parameters = [] } = fn ?? {};
  const values = parameters.map((name) => (plainName.test(name) ? name : 'void 0'));
  return { body, end, suspends: suspending.has(kind), values };
}
