import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { TracedThread } from '../../model/eventColumns.ts';
import { plainArguments, plainValue, plainWatched } from '../reader/values/plainValues.ts';
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
  begins: /^\{"resourceSpans":\[\{"resource":\{"attributes":\[\{"key":"strobe\.session\.id"/,
  shownBy: "a collector's otlpjsonfile receiver, or send it to one with collector",
  open: (about) => new OpenTelemetry(about),
};

const SPANS = 512;
const kindInternal = 1;
const statusError = 2;

class OpenTelemetry implements ExportWriter {
  readonly #about: ExportAbout;
  readonly #traceId: string;
  readonly #head: string;
  #spans: string[] = [];

  constructor(about: ExportAbout) {
    this.#about = about;
    this.#traceId = createHash('sha256').update(about.sessionId).digest('hex').slice(0, 32);
    const resource = attributes({
      'strobe.session.id': about.sessionId,
      'service.name': basename(about.command[0] ?? 'unknown'),
      'process.command_args': about.command,
      ...(about.pid === null ? {} : { 'process.pid': about.pid }),
      'strobe.filters': JSON.stringify(about.filters),
      'strobe.lost': JSON.stringify(about.lost),
      'strobe.sampled': about.sampled,
      ...(about.notes.length > 0 ? { 'strobe.notes': about.notes } : {}),
    });
    const scope = JSON.stringify({ name: 'strobe', version: about.strobe });
    this.#head = `{"resourceSpans":[{"resource":{"attributes":${resource}},"scopeSpans":[{"scope":${scope},"spans":[`;
  }

  begin(): string {
    return '';
  }

  call(call: ExportedCall): string {
    this.#spans.push(this.#span(call));
    return this.#spans.length < SPANS ? '' : this.#request();
  }

  end(_totals: ExportTotals): string {
    return this.#spans.length === 0 ? '' : this.#request();
  }

  #request(): string {
    const request = `${this.#head}${this.#spans.join(',')}]}]}]}\n`;
    this.#spans = [];
    return request;
  }

  #span(call: ExportedCall): string {
    const { thread, fn, end, time, durationNs, parent } = call;
    const { arguments: values, returns } = call.view();
    // A span needs an end: until then it is known to have lasted.
    const endNs = durationNs === null ? Math.max(time, this.#about.knownUntil) : time + durationNs;
    const own = attributes({
      [ownNames.id]: call.id,
      'code.function.name': fn.name,
      ...(fn.file === null ? {} : { 'code.file.path': fn.file }),
      ...(fn.line === null ? {} : { 'code.line.number': fn.line }),
      'thread.id': thread.tid,
      'thread.name': thread.name,
      ...(thread.pid === this.#about.pid ? {} : { 'process.pid': thread.pid }),
      ...Object.fromEntries(
        Object.entries(plainArguments(values)).map(([name, value]) => [
          `strobe.argument.${name}`,
          value,
        ]),
      ),
      ...(end === 'returned' ? { 'strobe.return': plainValue(returns) } : { [ownNames.end]: end }),
    });
    const above = parent === null ? '' : `"parentSpanId":"${spanId(thread, parent.ordinal)}",`;
    const status =
      end === 'unwound'
        ? `,"status":{"code":${statusError},"message":"an exception left the call"}`
        : '';
    const events = call.watched().map((one) => this.#watched(one));
    const watched = events.length === 0 ? '' : `,"events":[${events.join(',')}]`;
    return `{"traceId":"${this.#traceId}","spanId":"${spanId(thread, call.ordinal)}",${above}"name":${JSON.stringify(fn.name)},"kind":${kindInternal},"startTimeUnixNano":"${this.#unixNano(time)}","endTimeUnixNano":"${this.#unixNano(endNs)}","attributes":${own}${watched}${status}}`;
  }

  #watched(one: ExportedWatch): string {
    const { label, at, value } = plainWatched(one, one.isWritten);
    const own = attributes({
      'strobe.watch.label': label,
      'strobe.watch.at': at,
      'strobe.watch.value': value,
    });
    return `{"timeUnixNano":"${this.#unixNano(one.time)}","name":"variable_snapshot","attributes":${own}}`;
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

function attributes(members: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  return JSON.stringify(known.map(([key, value]) => ({ key, value: anyValue(value) })));
}

function anyValue(value: unknown): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      if (Number.isSafeInteger(value)) return { intValue: String(value) };
      return { doubleValue: value };
    default:
      if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
      if (value === null || typeof value !== 'object') return {};
      return {
        kvlistValue: {
          values: Object.entries(value).map(([key, member]) => ({ key, value: anyValue(member) })),
        },
      };
  }
}
