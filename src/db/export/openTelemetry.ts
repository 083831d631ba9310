import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { TracedFunction, TracedThread } from '../../model/eventColumns.ts';
import { Plain, watchedAt } from '../reader/values/plainValues.ts';
import { plainText } from '../reader/values/capturedValues.ts';
import { OpenCalls } from './openCalls.ts';
import {
  ownNames,
  type ExportAbout,
  type ExportedCall,
  type ExportedWatch,
  type ExportFormat,
  type ExportTotals,
  type ExportWriter,
} from './port.ts';

/**
 * OpenTelemetry spans, OTLP/JSON: a line is one ExportTraceServiceRequest, as collectors write
 * and read files and take them over HTTP (opentelemetry.io/docs/specs/otlp, "JSON Protobuf
 * Encoding"). The session is one trace; the same call has the same span id in every export. What
 * watches saw in a call are events of its span.
 */
export const openTelemetry: ExportFormat = {
  name: 'otlp',
  extension: 'otlp.jsonl',
  mediaType: 'application/jsonl',
  order: 'thread',
  holdsEvents: false,
  holdsWatched: true,
  endsOpen: true,
  begins: /^\{"resourceSpans":\[\{"resource":\{"attributes":\[\{"key":"strobe\.session\.id"/,
  shownBy: "a collector's otlpjsonfile receiver, or send it to one with collector",
  isForBrowsers: false,
  open: (about) => new OpenTelemetry(about),
};

/** In a request. */
const SPANS = 512;
const requestEnd = ']}]}]}\n';
const kindInternal = 1;
const statusError = 2;

class OpenTelemetry implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #traceId: string;
  readonly #head: string;
  readonly #functions = new WeakMap<TracedFunction, string>();
  readonly #threads = new WeakMap<TracedThread, string>();
  /** In the request that is begun. */
  #spans = 0;
  #text = '';
  /** Spans that lack their end: a call whose end is not known lasted at most to the next one that is not below it. */
  readonly #open = new OpenCalls<string | null>((begun, at) => {
    if (begun !== null) this.#add(begun, at);
  });

  constructor(about: ExportAbout) {
    this.#about = about;
    this.#traceId = createHash('sha256').update(about.sessionId).digest('hex').slice(0, 32);
    const resource = [
      attribute('strobe.session.id', scalar(about.sessionId)),
      attribute('service.name', scalar(basename(about.command[0] ?? 'unknown'))),
      attribute('process.command_args', list(about.command.map(scalar))),
      ...(about.pid === null ? [] : [attribute('process.pid', scalar(about.pid))]),
      attribute('strobe.filters', scalar(JSON.stringify(about.filters))),
      attribute('strobe.lost', scalar(JSON.stringify(about.lost))),
      attribute('strobe.sampled', scalar(about.sampled)),
      ...(about.notes.length > 0 ? [attribute('strobe.notes', list(about.notes.map(scalar)))] : []),
    ].join(',');
    const scope = JSON.stringify({ name: 'strobe', version: about.strobe });
    this.#head = `{"resourceSpans":[{"resource":{"attributes":[${resource}]},"scopeSpans":[{"scope":${scope},"spans":[`;
  }

  begin(): string {
    return '';
  }

  call(call: ExportedCall): string {
    this.#open.leave(call);
    const begun = this.#span(call);
    const { time, durationNs } = call;
    this.#open.enter(call, durationNs === null ? begun : null);
    if (durationNs !== null) this.#add(begun, time + durationNs);
    return this.#taken();
  }

  threadEnd(): string {
    this.#open.finish(this.#about.knownUntil);
    return this.#taken();
  }

  end(_totals: ExportTotals): string {
    return this.#spans === 0 ? '' : requestEnd;
  }

  /** A span that lasted until then. */
  #add(begun: string, at: number): void {
    const before = this.#spans === 0 ? this.#head : ',';
    this.#spans = (this.#spans + 1) % SPANS;
    this.#text += `${before}${begun}"endTimeUnixNano":"${this.#unixNano(at)}"}${this.#spans === 0 ? requestEnd : ''}`;
  }

  #taken(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** All of it but its end. */
  #span(call: ExportedCall): string {
    const { thread, fn, end, time, parent } = call;
    const told = call.values();
    let own = `${attribute(ownNames.id, scalar(call.id))},${this.#placeOf(call)}`;
    for (const [name, value] of values.members(told.arguments))
      own += `,${argumentNames.of(name)}${value}}`;
    const result = end === 'returned' ? values.value(told.returns) : scalar(end);
    if (result !== undefined)
      own += `,${attribute(end === 'returned' ? 'strobe.return' : ownNames.end, result)}`;
    if (told.exception)
      own += `,${attribute(ownNames.exception, scalar(plainText(told.exception)))}`;
    if (call.suspendedNs > 0) own += `,${attribute(ownNames.suspended, scalar(call.suspendedNs))}`;
    if (call.isActivation && call.strand !== null)
      own += `,${attribute(ownNames.strand, scalar(call.strand))}`;
    const above = parent === null ? '' : `"parentSpanId":"${spanId(thread, parent.ordinal)}",`;
    const status =
      end === 'unwound'
        ? `"status":{"code":${statusError},"message":"an exception left the call"},`
        : '';
    const events = call.watched().map((one) => this.#watched(one));
    const watched = events.length === 0 ? '' : `"events":[${events.join(',')}],`;
    return `{"traceId":"${this.#traceId}","spanId":"${spanId(thread, call.ordinal)}",${above}"name":${JSON.stringify(fn.name)},"kind":${kindInternal},"startTimeUnixNano":"${this.#unixNano(time)}","attributes":[${own}],${watched}${status}`;
  }

  /** Attributes that all calls of a function have, and all of a thread. */
  #placeOf({ fn, thread }: ExportedCall): string {
    const ofFunction = this.#functions.get(fn) ?? functionAttributes(fn);
    this.#functions.set(fn, ofFunction);
    const ofThread = this.#threads.get(thread) ?? threadAttributes(thread, this.#about.pid);
    this.#threads.set(thread, ofThread);
    return `${ofFunction},${ofThread}`;
  }

  #watched(one: ExportedWatch): string {
    const own = [
      attribute('strobe.watch.label', scalar(one.label)),
      attribute('strobe.watch.at', scalar(watchedAt(one, one.isWritten))),
      attribute('strobe.watch.value', values.item(one.value)),
    ].join(',');
    return `{"timeUnixNano":"${this.#unixNano(one.time)}","name":"variable_snapshot","attributes":[${own}]}`;
  }

  /** Beyond 2^53: milliseconds and the rest are put together as text. */
  #unixNano(ns: number): string {
    const ms = Math.floor(this.#about.startedAtMs) + Math.floor(ns / 1e6);
    return `${ms}${String(Math.floor(ns % 1e6)).padStart(6, '0')}`;
  }
}

/** Never zero, which would be no id: threads count from 1. */
function spanId({ key }: TracedThread, ordinal: number): string {
  return key.toString(16).padStart(6, '0') + ordinal.toString(16).padStart(10, '0');
}

function functionAttributes({ name, file, line }: TracedFunction): string {
  return [
    attribute('code.function.name', scalar(name)),
    ...(file === null ? [] : [attribute('code.file.path', scalar(file))]),
    ...(line === null ? [] : [attribute('code.line.number', scalar(line))]),
  ].join(',');
}

function threadAttributes({ pid, tid, name }: TracedThread, main: number | null): string {
  return [
    attribute('thread.id', scalar(tid)),
    attribute('thread.name', scalar(name)),
    ...(pid === main ? [] : [attribute('process.pid', scalar(pid))]),
  ].join(',');
}

/** How attributes of a name begin: there are few names. */
class AttributeNames {
  readonly #known = new Map<string, string>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(name: string): string {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const text = `{"key":${JSON.stringify(this.#prefix + name)},"value":`;
    this.#known.set(name, text);
    return text;
  }
}

const attributeNames = new AttributeNames('');
const argumentNames = new AttributeNames('strobe.argument.');

function attribute(name: string, value: string): string {
  return `${attributeNames.of(name)}${value}}`;
}

function scalar(value: string | number | boolean | null): string {
  switch (typeof value) {
    case 'string':
      return `{"stringValue":${JSON.stringify(value)}}`;
    case 'boolean':
      return `{"boolValue":${value}}`;
    case 'number':
      return Number.isSafeInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`;
    default:
      return '{}';
  }
}

function list(items: readonly string[]): string {
  return `{"arrayValue":{"values":[${items.join(',')}]}}`;
}

/** Values as an AnyValue of OTLP. */
const values = new Plain<string>({
  scalar,
  list,
  object: (members) =>
    `{"kvlistValue":{"values":[${members.map(([name, value]) => attribute(name, value)).join(',')}]}}`,
});
