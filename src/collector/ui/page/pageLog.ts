import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicNs } from '../../../base/clock.ts';
import { fieldsOf, listOf, textOf, type Fields } from './devtoolsPipe.ts';
import { withoutSecrets } from './withoutSecrets.ts';

const MOST_BYTES = 16 << 20;
const MOST_TEXT = 4000;
const NS_OF_SECOND = 1e9;
const WAITED_NS = 2e9;

/** What happened in a page. */
export interface PageEvent {
  /** CLOCK_MONOTONIC. */
  readonly atNs: number;
  readonly direction: 'in' | 'out';
  readonly text: string;
}

interface Request {
  readonly what: string;
  readonly beganNs: number;
  status: string;
}

/** Keeps what pages write to their console, request and throw, in a file of the session. */
export class PageLog {
  readonly #path: string;
  readonly #requests = new Map<string, Request>();
  #bytes = 0;

  constructor(folder: string) {
    this.#path = fileIn(folder);
  }

  /** Requests that the pages wait for. One that lasts longer is a stream, or ends in a frame of another process. */
  get pending(): number {
    const since = Number(monotonicNs()) - WAITED_NS;
    return [...this.#requests.values()].filter(({ beganNs }) => beganNs > since).length;
  }

  hear(method: string, params: Fields, page: string | null): void {
    switch (method) {
      case 'Runtime.consoleAPICalled': {
        const said = listOf(params['args']).map(argumentText).join(' ');
        return this.#keep(`console.${textOf(params['type'])} ${said}`);
      }
      case 'Runtime.exceptionThrown':
        return this.#keep(exceptionText(fieldsOf(params['exceptionDetails'])));
      case 'Log.entryAdded': {
        const { level, text, url } = fieldsOf(params['entry']);
        return this.#keep(`${textOf(level)} ${textOf(text)} ${withoutSecrets(textOf(url))}`.trim());
      }
      case 'Page.javascriptDialogOpening':
        return this.#keep(`${textOf(params['type'])} ${textOf(params['message'])}`);
      case 'Page.javascriptDialogClosed':
        return this.#keep(params['result'] === true ? 'dialog accepted' : 'dialog dismissed', 'in');
    }
    if (method.startsWith('Network.')) this.#hearRequest(method, params, page);
  }

  #hearRequest(method: string, params: Fields, page: string | null): void {
    const id = `${page} ${textOf(params['requestId'])}`;
    const atNs = Math.round(Number(params['timestamp']) * NS_OF_SECOND);
    const request = this.#requests.get(id);
    if (method === 'Network.requestWillBeSent') {
      const { method: verb, url } = fieldsOf(params['request']);
      const what = `${textOf(verb)} ${withoutSecrets(textOf(url))}`;
      this.#requests.set(id, { what, beganNs: atNs, status: '' });
      return this.#keep(what, 'out', atNs);
    }
    if (request === undefined) return;
    if (method === 'Network.responseReceived') {
      const { status, mimeType } = fieldsOf(params['response']);
      request.status = `${textOf(status)} ${textOf(mimeType)}`;
      return;
    }
    const ms = ((atNs - request.beganNs) / 1e6).toFixed(1);
    if (method === 'Network.loadingFinished')
      this.#keep(
        `${request.what} answered ${request.status} ${textOf(params['encodedDataLength'])} B in ${ms} ms`,
        'in',
        atNs,
      );
    else if (method === 'Network.loadingFailed')
      this.#keep(
        `${request.what} failed: ${textOf(params['errorText'])} after ${ms} ms`,
        'in',
        atNs,
      );
    else return;
    this.#requests.delete(id);
  }

  #keep(
    text: string,
    direction: PageEvent['direction'] = 'out',
    atNs = Number(monotonicNs()),
  ): void {
    if (this.#bytes > MOST_BYTES) return;
    const kept: PageEvent = { atNs, direction, text: text.slice(0, MOST_TEXT) };
    const end = { ...kept, text: `later events are not kept: there were ${MOST_BYTES} bytes` };
    this.#bytes += JSON.stringify(kept).length;
    const line = `${JSON.stringify(this.#bytes > MOST_BYTES ? end : kept)}\n`;
    try {
      appendFileSync(this.#path, line, { mode: 0o600 });
    } catch {
      this.#bytes = MOST_BYTES + 1; // The folder was removed, or the disk is full.
    }
  }
}

/** What was kept of the pages of a session, in the order of time. */
export function pageEvents(folder: string): readonly PageEvent[] {
  return linesIn(fileIn(folder))
    .flatMap((line) => eventIn(line) ?? [])
    .toSorted((one, other) => one.atNs - other.atNs);
}

function linesIn(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return []; // Nothing happened yet.
  }
}

function eventIn(line: string): PageEvent | null {
  try {
    const { atNs, direction, text } = fieldsOf(JSON.parse(line));
    const way = direction === 'in' ? 'in' : 'out';
    return { atNs: Number(atNs), direction: way, text: textOf(text) };
  } catch {
    return null; // It is being written, or it is the end of the file.
  }
}

function fileIn(folder: string): string {
  return join(folder, 'page.jsonl');
}

function argumentText({ value, description, type }: Fields): string {
  if (value === undefined) return textOf(description ?? type);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function exceptionText({ text, exception, url, lineNumber }: Fields): string {
  const [first = ''] = textOf(fieldsOf(exception)['description']).split('\n');
  const where = url === undefined ? '' : ` at ${textOf(url)}:${Number(lineNumber) + 1}`;
  return `exception ${textOf(text)} ${first}${where}`;
}
