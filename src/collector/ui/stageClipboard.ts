import type { Fixes, Resources, XEvent } from 'x11';
import { monotonicNs } from '../../base/clock.ts';
import { within } from '../../base/deadline.ts';
import { LastOf } from '../../model/channels/lastOf.ts';
import { StrobeError } from '../../model/errors.ts';
import { Display } from './display.ts';
import type { StageAddress } from './stage.ts';

const READ_MS = 2000;
const MOST_EVENTS = 5000;
/** A longer text would need more than one request. */
const MOST_BYTES = 200_000;
const MOST_FORMS = 64;
/** Of SelectSelectionInput: another owner, its window is gone, it has ended. */
const ANY_CHANGE = 7;
const LOCAL_PID = 2;
const ATOM = 4;
const WORDS = MOST_BYTES / 4;

/** What programs ask for when they paste text, the first is what most offer. */
const textForms = ['UTF8_STRING', 'text/plain;charset=utf-8', 'text/plain', 'STRING', 'TEXT'];
/** Password managers offer it beside the password. */
const SECRET_FORM = 'x-kde-passwordManagerHint';

/** Text on the clipboard, or why there is none. */
export type Copied =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly isWhole: boolean }
  | { readonly kind: 'emptied' }
  | { readonly kind: 'other'; readonly why: string };

/** A change of the clipboard (`set`), or a program that took what we had put there (`read`). */
export interface ClipboardEvent {
  /** CLOCK_MONOTONIC. */
  readonly atNs: number;
  readonly what: 'set' | 'put' | 'read';
  /** 0: not known. */
  readonly pid: number;
  readonly copied: Copied;
}

/** The clipboard (selection CLIPBOARD) of a stage: sees each change and reads it, as clipboard managers do, and sets it. */
export class StageClipboard {
  readonly events = new LastOf<ClipboardEvent>(MOST_EVENTS);
  readonly #display: Display;
  readonly #resources: Resources;
  readonly #window: number;
  readonly #atoms: ReadonlyMap<string, number>;
  #hasChanged = false;
  #own: Buffer = Buffer.alloc(0);
  /** Reads one change after the other. */
  #reading: Promise<void> = Promise.resolve();
  #converted: ((event: XEvent) => void) | null = null;

  private constructor(display: Display, resources: Resources, atoms: ReadonlyMap<string, number>) {
    const { client, root } = display;
    this.#display = display;
    this.#resources = resources;
    this.#atoms = atoms;
    this.#window = client.AllocID();
    client.CreateWindow(this.#window, root, 0, 0, 1, 1);
    client.on('event', (event) => this.#took(event));
  }

  /** Throws NO_STAGE when the display does not answer. */
  static async open(stage: StageAddress): Promise<StageClipboard> {
    const display = await Display.open(stage);
    const { client } = display;
    try {
      const fixes = await display.ask<Fixes>((answer) => client.require('fixes', answer));
      const resources = await display.ask<Resources>((answer) => client.require('res', answer));
      const atoms = new Map<string, number>();
      for (const name of ['CLIPBOARD', 'TARGETS', 'INCR', SECRET_FORM, ...textForms])
        atoms.set(
          name,
          await display.ask<number>((answer) => client.InternAtom(false, name, answer)),
        );
      const clipboard = new StageClipboard(display, resources, atoms);
      fixes.SelectSelectionInput(clipboard.#window, clipboard.#atom('CLIPBOARD'), ANY_CHANGE);
      const owner = await clipboard.#owner();
      // What is there already, unless it was put there just now.
      if (owner !== 0 && !clipboard.#hasChanged) clipboard.#changed(owner);
      await clipboard.#reading;
      return clipboard;
    } catch (error) {
      client.terminate();
      throw error;
    }
  }

  /** Puts text there. Throws BAD_PARAMETER for one that is too long. */
  async set(bytes: Buffer): Promise<void> {
    if (bytes.length > MOST_BYTES)
      throw new StrobeError(
        'BAD_PARAMETER',
        `The text has ${bytes.length} bytes; the clipboard is set to ${MOST_BYTES} at most.`,
        'Send a shorter text.',
      );
    this.#own = bytes;
    this.#display.client.SetSelectionOwner(this.#window, this.#atom('CLIPBOARD'));
    if ((await this.#owner()) !== this.#window)
      throw new StrobeError('NO_STAGE', 'The display did not give the clipboard to Strobe.');
    const copied = { kind: 'text', bytes, isWhole: true } as const;
    this.events.add({ atNs: Number(monotonicNs()), what: 'put', pid: 0, copied });
  }

  close(): void {
    this.#display.client.terminate();
  }

  async #owner(): Promise<number> {
    return await this.#display.ask<number>((answer) =>
      this.#display.client.GetSelectionOwner(this.#atom('CLIPBOARD'), answer),
    );
  }

  #atom(name: string): number {
    return this.#atoms.get(name) ?? 0;
  }

  #took(event: XEvent): void {
    if (event.name === 'SelectionRequest') this.#give(event);
    else if (event.name !== 'SelectionNotify') return;
    else if (event.subtype === undefined) this.#converted?.(event);
    else if (event.owner !== this.#window) this.#changed(event.owner);
  }

  #changed(owner: number): void {
    const atNs = Number(monotonicNs());
    this.#hasChanged = true;
    this.#reading = this.#reading.then(async () => {
      const pid = owner === 0 ? 0 : await this.#pidOf(owner);
      const copied = owner === 0 ? ({ kind: 'emptied' } as const) : await this.#read();
      this.events.add({ atNs, what: 'set', pid, copied });
    });
  }

  /** Never throws: an owner that says nothing is an event of its own. */
  async #read(): Promise<Copied> {
    try {
      const { data } = await this.#convert(this.#atom('TARGETS'));
      const forms = new Set<number>();
      for (let at = 0; at + 4 <= data.length; at += 4) forms.add(data.readUInt32LE(at));
      if (forms.has(this.#atom(SECRET_FORM)))
        return { kind: 'other', why: 'a password, which is not read' };
      const form = textForms.map((name) => this.#atom(name)).find((atom) => forms.has(atom));
      if (form === undefined) return { kind: 'other', why: await this.#named([...forms]) };
      const { data: bytes, type, bytesAfter } = await this.#convert(form);
      if (type === this.#atom('INCR'))
        return { kind: 'other', why: 'text in parts, which is not read' };
      return { kind: 'text', bytes, isWhole: bytesAfter === 0 };
    } catch (error) {
      return { kind: 'other', why: error instanceof Error ? error.message : String(error) };
    }
  }

  /** What the owner gives in one form. Throws when it gives nothing. */
  async #convert(
    form: number,
  ): Promise<{ readonly data: Buffer; readonly type: number; readonly bytesAfter: number }> {
    const converting = new Promise<XEvent>((resolve) => {
      this.#converted = (event) => {
        if (event.target === form) resolve(event);
      };
    });
    const place = this.#atom('CLIPBOARD');
    this.#display.client.ConvertSelection(this.#window, place, form, place);
    const { property } = await within(
      READ_MS,
      converting,
      () => new Error(`not given within ${READ_MS} ms`),
    );
    if (property === 0) throw new Error('in a form that its owner does not give');
    return await this.#display.ask((answer) =>
      this.#display.client.GetProperty(1, this.#window, property, 0, 0, WORDS, answer),
    );
  }

  async #named(forms: readonly number[]): Promise<string> {
    const names = await Promise.all(
      forms
        .slice(0, MOST_FORMS)
        .map(async (atom) =>
          this.#display.ask<string>((answer) => this.#display.client.GetAtomName(atom, answer)),
        ),
    );
    // What is written large says how it is given, not what it is.
    const kinds = names.filter((name) => name.includes('/'));
    return kinds.length === 0 ? 'no text' : `no text, but ${kinds.join(', ')}`;
  }

  async #pidOf(window: number): Promise<number> {
    try {
      const found = await this.#display.ask<readonly { readonly value: readonly number[] }[]>(
        (answer) => this.#resources.QueryClientIds([{ client: window, mask: LOCAL_PID }], answer),
      );
      return found[0]?.value[0] ?? 0;
    } catch {
      return 0; // It has left the display.
    }
  }

  /** Answers a program that pastes what we put there. */
  #give({ requestor, selection, target, property, time }: XEvent): void {
    const place = property === 0 ? target : property;
    const client = this.#display.client;
    const form = textForms.find((name) => this.#atom(name) === target);
    if (target === this.#atom('TARGETS')) {
      const forms = ['TARGETS', ...textForms].map((name) => this.#atom(name));
      client.ChangeProperty(0, requestor, place, ATOM, 32, forms);
    } else if (form !== undefined) {
      const type = form === 'TEXT' ? this.#atom('UTF8_STRING') : target;
      client.ChangeProperty(0, requestor, place, type, 8, this.#own);
      void this.#gave(requestor, this.#own);
    }
    const isGiven = form !== undefined || target === this.#atom('TARGETS');
    client.SendEvent(requestor, 0, 0, {
      name: 'SelectionNotify',
      time,
      requestor,
      selection,
      target,
      property: isGiven ? place : 0,
    });
  }

  async #gave(requestor: number, bytes: Buffer): Promise<void> {
    const atNs = Number(monotonicNs());
    const pid = await this.#pidOf(requestor);
    this.events.add({ atNs, what: 'read', pid, copied: { kind: 'text', bytes, isWhole: true } });
  }
}
