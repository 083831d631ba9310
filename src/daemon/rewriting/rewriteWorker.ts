import { parentPort, workerData } from 'node:worker_threads';
import type { ScriptFunction } from '../../model/rewriting/rewrittenModule.ts';
import type {
  LiveFunction,
  PlacesAnswer,
  RewriteAnswer,
  RewriteRequest,
} from '../../protocol/nodeTracer.ts';
import type { DefinedInSource } from '../../symbols/sourceLanguage.ts';
import { FunctionLocator } from '../../symbols/javascript/functionLocator.ts';
import { functionsOfFile } from '../../symbols/javascript/functionsOfFile.ts';
import type { TextProbe } from '../../symbols/javascript/probedStatements.ts';
import { sourceMapOf, type LocatedMap } from '../../symbols/javascript/originalSources.ts';
import { rewriteModule } from '../../symbols/javascript/rewriteModule.ts';
import { statementPlaces } from '../../symbols/javascript/statementPlaces.ts';
import { stampedSources } from '../../symbols/javascript/stampedSources.ts';
import { rewrittenMap } from '../../symbols/javascript/rewrittenMap.ts';
import { AnswerWriter, type Rewriting } from './answerLog.ts';

function placesOf(
  text: string,
  path: string,
  sites: NonNullable<RewriteRequest['sites']>,
): PlacesAnswer {
  try {
    return { places: statementPlaces(text, path, sites) };
  } catch (error) {
    return { why: String(error) };
  }
}

const locator = new FunctionLocator();

/** Asks for the functions of a source file; the answer is a `FunctionsAnswer`. */
export interface FunctionsRequest {
  readonly path: string;
  readonly text: string;
  readonly format: 'source';
}

/** `why`: what is wrong with the text. */
export type FunctionsAnswer =
  { readonly functions: readonly DefinedInSource[] } | { readonly why: string };

/** `key`: what its answer is kept by; null: it is not. */
export interface RewritingTask {
  readonly request: RewriteRequest | FunctionsRequest;
  readonly key: string | null;
}

// oxlint-disable-next-line typescript/consistent-type-assertions -- the daemon gives it
const writer = new AnswerWriter(workerData as string);

/** The thread that reads and rewrites modules; what it is asked, it answers in turn. */
parentPort?.on('message', (tasks: readonly RewritingTask[]) => {
  const made = tasks.map(rewritingOf);
  parentPort?.postMessage(made);
  for (const [at, { key }] of tasks.entries()) {
    const one = made[at];
    if (key !== null && one) writer.write(key, one);
  }
});

function rewritingOf({ request, key }: RewritingTask): Rewriting {
  const { text, path } = request;
  const located = sourceMapOf(text, path);
  // A file that changes meanwhile has another time by then.
  const sources = key === null ? null : stampedSources(text, located);
  const answer = JSON.stringify(
    request.format === 'source' ? functionsAnswer(text, path) : answerTo(request, located),
  );
  return { answer, sources };
}

function functionsAnswer(text: string, path: string): FunctionsAnswer {
  try {
    return { functions: functionsOfFile(text, path) };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

function answerTo(request: RewriteRequest, map: LocatedMap | null): RewriteAnswer | PlacesAnswer {
  const { text, path, format, isLive = false, mapFor, sites } = request;
  if (sites) return placesOf(text, path, sites);
  const probes = probesOf(request);
  const rewritten = rewriteModule({ text, file: path, format, probes });
  if ('refusal' in rewritten) return { why: rewritten.refusal };
  const located = locator.locate(rewritten.functions, text, path, map);
  return {
    inserts: isLive ? [] : rewritten.inserts.map(({ position, text: put }) => [position, put]),
    functions: located.map(({ offset, file, refusal }, index) => ({
      offset,
      ...(file === undefined ? {} : { file }),
      ...(refusal === null ? {} : { why: refusal }),
      ...(isLive ? { live: liveFunction(rewritten.functions[index]) } : {}),
    })),
    variables: rewritten.variables,
    ...(probes.length > 0 ? { isWritten: rewritten.isWritten } : {}),
    ...(mapFor === undefined
      ? {}
      : { map: rewrittenMap(text, path, rewritten.inserts, mapFor, map) }),
  };
}

/** Where they are in the text, and what they can read there. */
function probesOf({ text, path, probes = [] }: RewriteRequest): readonly TextProbe[] {
  if (probes.length === 0) return [];
  const found = placesOf(text, path, probes);
  return probes.map(({ names }, i) => {
    const place = 'places' in found ? found.places[i] : undefined;
    if (!place) return { offset: -1, isResult: false, names: [] };
    const known = new Set([...place.names, 'this']);
    const { offset, isResult } = place;
    return { offset, isResult, names: names.map((name) => (known.has(name) ? name : null)) };
  });
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
