import type { TestEvent, TestFrame } from '../../model/tests/testReport.ts';
import { catchSides, type Sides } from './comparison.ts';
import { mostOutput, plainText, tailOf } from './plainText.ts';
import { XmlStream } from './xml.ts';

/*
 * The XML reporter of Catch2 2 and 3, read as it is written:
 *
 *   TestCase(name tags filename line)
 *     > Section*(name) > Expression(success type filename line > Original, Expanded)
 *                      | Exception | Failure | FatalErrorCondition | Info | Warning
 *     > OverallResult(success durationInSeconds skips > StdOut, StdErr)
 */
interface Open {
  readonly name: string;
  readonly tags: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly sections: string[];
  readonly failures: Fault[];
  infos: string[];
  output: string;
}

interface Fault {
  readonly message: string;
  readonly sides: Sides;
  readonly frame: TestFrame | null;
}

const mostFaults = 5;

export class CatchXml {
  readonly #stream: XmlStream;
  readonly #path: (told: string) => string;
  #events: TestEvent[] = [];
  #case: Open | null = null;
  #place: TestFrame | null = null;
  #type = '';
  #original = '';
  #text = '';
  #result: { readonly isGood: boolean; readonly ms: number | null; readonly skips: number } | null =
    null;

  constructor(path: (told: string) => string) {
    this.#path = path;
    this.#stream = new XmlStream({
      open: (name, attributes) => this.#open(name, attributes),
      text: (text) => {
        if (this.#text.length < 1 << 20) this.#text += text;
      },
      close: (name) => this.#close(name),
    });
  }

  push(chunk: Buffer): TestEvent[] {
    this.#stream.push(chunk);
    return this.#taken();
  }

  #taken(): TestEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#text = '';
    const place = this.#placeOf(attributes);
    if (name === 'TestCase' || name === 'MatchingTests') {
      const test = attributes['name'] ?? '';
      if (name === 'TestCase') this.#begin(test, attributes, place);
    } else if (name === 'Section') this.#case?.sections.push(attributes['name'] ?? '');
    else if (name === 'Expression') {
      this.#place = place;
      this.#type = attributes['success'] === 'true' ? '' : (attributes['type'] ?? 'CHECK');
    } else if (place) this.#place = place;
    if (name === 'OverallResult') {
      const seconds = Number(attributes['durationInSeconds'] ?? 'NaN');
      this.#result = {
        isGood: attributes['success'] === 'true',
        ms: Number.isNaN(seconds) ? null : seconds * 1000,
        skips: Number(attributes['skips'] ?? 0),
      };
    }
  }

  #begin(
    name: string,
    attributes: Readonly<Record<string, string>>,
    place: TestFrame | null,
  ): void {
    this.#case = {
      name,
      tags: attributes['tags'] ?? '',
      file: place?.file ?? null,
      line: place?.line ?? null,
      sections: [],
      failures: [],
      infos: [],
      output: '',
    };
    this.#result = null;
    this.#events.push({ kind: 'started', id: name, file: place?.file ?? null });
  }

  #placeOf(attributes: Readonly<Record<string, string>>): TestFrame | null {
    const { filename, line } = attributes;
    if (filename === undefined) return null;
    return { function: null, file: this.#path(filename), line: Number(line) || null };
  }

  #close(name: string): void {
    const open = this.#case;
    if (!open) return;
    const text = plainText(this.#text).trim();
    this.#text = '';
    switch (name) {
      case 'Original':
        this.#original = text;
        break;
      case 'Expanded':
        if (this.#type !== '')
          this.#fault(open, expression(this.#type, this.#original, text), text);
        break;
      case 'Exception':
        this.#fault(open, `exception: ${text}`);
        break;
      case 'Failure':
        this.#fault(open, text || 'FAIL()');
        break;
      case 'FatalErrorCondition':
        this.#fault(open, `fatal error: ${text}`);
        break;
      case 'Info':
      case 'Warning':
        open.infos.push(text);
        break;
      case 'Section':
        open.sections.pop();
        break;
      case 'StdOut':
      case 'StdErr':
        open.output += `${text}\n`;
        break;
      case 'TestCase':
        this.#end(open);
        break;
    }
  }

  #fault(open: Open, what: string, expanded = ''): void {
    const where = open.sections.length > 0 ? `in ${open.sections.join(' / ')}: ` : '';
    const infos = open.infos.map((info) => `\n  ${info}`).join('');
    open.infos = [];
    if (open.failures.length >= mostFaults) return;
    open.failures.push({
      message: `${where}${what}${infos}`,
      sides: catchSides(expanded),
      frame: this.#place,
    });
  }

  #end(open: Open): void {
    this.#case = null;
    const { isGood, ms, skips } = this.#result ?? { isGood: false, ms: null, skips: 0 };
    const [first] = open.failures;
    const isExpected = isGood && first !== undefined && /\[!(may|should)fail\]/.test(open.tags);
    const outcome = isExpected
      ? 'expectedFailure'
      : isGood
        ? skips > 0
          ? 'skipped'
          : 'passed'
        : 'failed';
    this.#events.push({
      kind: 'finished',
      result: {
        id: open.name,
        name: open.name,
        file: open.file,
        line: open.line,
        outcome,
        durationMs: ms,
        reason: isExpected ? first.message : null,
        failure:
          outcome === 'failed'
            ? {
                message: open.failures.map((fault) => fault.message).join('\n') || 'failed',
                expected: first?.sides.expected ?? null,
                actual: first?.sides.actual ?? null,
                frames: open.failures.flatMap((fault) => fault.frame ?? []),
                output: tailOf(open.output.trim(), mostOutput),
              }
            : null,
      },
    });
  }
}

function expression(type: string, original: string, expanded: string): string {
  return original === expanded
    ? `${type}( ${original} )`
    : `${type}( ${original} ) with ${expanded}`;
}
