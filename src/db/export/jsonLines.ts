import type { TracedFunction, TracedThread } from '../../model/eventColumns.ts';
import type { Value } from '../../model/questions/query.ts';
import { elementsLeft, partsOf } from '../../model/values/valueParts.ts';
import { jsonText, plainWatched } from '../reader/values/plainValues.ts';
import { eventTypeOf, functionFields, snapshotFields, threadFields } from './callFields.ts';
import {
  aboutFacts,
  type ExportAbout,
  type ExportedCall,
  type ExportedEvent,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

/**
 * An event a line, in order of time, with the fields of the `events` view; before them a line
 * `session` that says what the file is, after them a line `end` with what it holds: without it
 * the file is not whole.
 */
export const jsonLines: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  mediaType: 'application/jsonl',
  order: 'time',
  holdsEvents: true,
  holdsWatched: true,
  endsOpen: false,
  begins: /^\{"eventType":"session","sessionId":/,
  shownBy: 'jq, DuckDB, pandas',
  isForBrowsers: false,
  open: (about) => new JsonLines(about),
};

class JsonLines implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #functions = new WeakMap<TracedFunction, string>();
  readonly #threads = new WeakMap<TracedThread, string>();

  constructor(about: ExportAbout) {
    this.#about = about;
  }

  begin(): string {
    return line({ eventType: 'session', ...aboutFacts(this.#about) });
  }

  call(call: ExportedCall): string {
    const { id, time, durationNs, end, callerId, depth } = call;
    const { arguments: values, returns, exception } = call.values();
    const watched = call.watched().filter(({ isWritten }) => !isWritten);
    const isReturned = end === 'returned';
    const result = isReturned ? jsonText.value(returns) : undefined;
    const told = isReturned ? [...values, { name: 'return', value: returns }] : values;
    const cut = told.filter(({ value }) => value.kind !== 'notCaptured' && isCut(value));
    const missing = told.flatMap(({ name, value }) =>
      value.kind === 'notCaptured' ? [[name, value.reason] as const] : [],
    );
    let text = `{"eventType":"${eventTypeOf(call)}","id":"${id}","timestampNs":${time},"durationNs":${durationNs}`;
    text += `,"end":"${end}",${this.#placeOf(call)},"parentEventId":${JSON.stringify(callerId)}`;
    text += `,"depth":${depth},"arguments":${jsonText.object(values)}`;
    if (result !== undefined) text += `,"returnValue":${result}`;
    const thrown = exception && jsonText.value(exception);
    if (thrown !== undefined) text += `,"exception":${thrown}`;
    if (call.suspendedNs > 0) text += `,"suspendedNs":${call.suspendedNs}`;
    if (call.strand !== null) text += `,"strand":${JSON.stringify(call.strand)}`;
    if (watched.length > 0)
      text += `,"watchValues":${JSON.stringify(watched.map((one) => plainWatched(one)))}`;
    if (cut.length > 0) text += `,"truncated":${JSON.stringify(cut.map(({ name }) => name))}`;
    if (missing.length > 0) text += `,"notCaptured":${JSON.stringify(Object.fromEntries(missing))}`;
    return `${text}}\n`;
  }

  /** Members that all calls of a function have, and all of a thread. */
  #placeOf({ fn, thread }: ExportedCall): string {
    let ofFunction = this.#functions.get(fn);
    if (ofFunction === undefined) {
      ofFunction = JSON.stringify(functionFields(fn)).slice(1, -1);
      this.#functions.set(fn, ofFunction);
    }
    let ofThread = this.#threads.get(thread);
    if (ofThread === undefined) {
      ofThread = JSON.stringify(threadFields(thread)).slice(1, -1);
      this.#threads.set(thread, ofThread);
    }
    return `${ofFunction},${ofThread}`;
  }

  event(event: ExportedEvent): string {
    if (event.type === 'variable_snapshot') return line(snapshotFields(event));
    const { type, time, ...rest } = event;
    return line({ eventType: type, timestampNs: time, ...rest });
  }

  end(totals: ExportTotals): string {
    return line({ eventType: 'end', ...totals });
  }
}

/** Not all of it was captured, or it does not fit together. */
function isCut(value: Value): boolean {
  if (value.kind === 'int') return false;
  if (value.kind === 'notCaptured') return true;
  if (value.kind === 'string') return value.truncated;
  const isTorn = 'torn' in value && value.torn;
  const isShort = value.kind === 'object' ? value.object.left > 0 : elementsLeft(value) > 0;
  return isTorn || isShort || partsOf(value).some(isCut);
}

function line(members: object): string {
  return `${JSON.stringify(members)}\n`;
}
