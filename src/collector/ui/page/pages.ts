import { dirname } from 'node:path';
import { monotonicMs } from '../../../base/clock.ts';
import { pause } from '../../../base/deadline.ts';
import { StrobeError } from '../../../model/errors.ts';
import type { PagePipes } from './chromium.ts';
import { PageDialogs, type DialogAnswer, type PageDialog } from './pageDialogs.ts';
import { PageLog } from './pageLog.ts';
import { DevtoolsPipe, fieldsOf, textOf, type Fields } from './devtoolsPipe.ts';

const FIRST_PAGE_MS = 15_000;
const TURN_MS = 20;
const LOADING_MS = 10_000;

/** A page that is open in the program. */
export interface OpenPage {
  /** What the program calls our sight of it. */
  readonly session: string;
  readonly target: string;
}

interface Frame {
  readonly session: string;
  /** The session of the page that it is in. */
  readonly page: string;
}

/** Before its first page a program shows an empty one, which has loaded at once. */
const readyState = `location.href === 'about:blank' ? 'blank' : document.readyState`;

const isFrame = { type: 'iframe' };

/** The pages of a program of Chromium. They are seen as long as this is. */
export class Pages {
  readonly #pipe: DevtoolsPipe;
  readonly #open = new Map<string, OpenPage>();
  readonly #log: PageLog;
  readonly #dialogs = new PageDialogs();
  /** Those that are targets of their own, by their id. */
  readonly #frames = new Map<string, Frame>();
  readonly #begun: Promise<Fields>;

  constructor(pipes: PagePipes) {
    this.#log = new PageLog(dirname(pipes.answers));
    this.#pipe = new DevtoolsPipe(pipes, (method, params, page) =>
      this.#hear(method, params, page),
    );
    this.#begun = this.#begin();
    this.#begun.catch(() => undefined); // Said when something is asked.
  }

  async #begin(): Promise<Fields> {
    const version = await this.#pipe.ask('Browser.getVersion');
    await this.#pipe.ask('Target.setDiscoverTargets', { discover: true });
    return version;
  }

  /** "Chrome/156.0.8078.108" */
  async product(): Promise<string> {
    return textOf((await this.#begun)['product']);
  }

  /** Requests that the pages wait for. */
  get pending(): number {
    return this.#log.pending;
  }

  #hear(method: string, params: Fields, page: string | null): void {
    switch (method) {
      case 'Target.targetCreated': {
        const { type, targetId } = fieldsOf(params['targetInfo']);
        if (type === 'page') void this.#see(textOf(targetId)).catch(() => undefined);
        return;
      }
      case 'Target.targetDestroyed':
        for (const { session, target } of this.#open.values())
          if (target === params['targetId']) this.#open.delete(session);
        return;
      case 'Target.attachedToTarget': {
        const { type, targetId } = fieldsOf(params['targetInfo']);
        const session = textOf(params['sessionId']);
        if (type !== isFrame.type || page === null) return;
        this.#frames.set(textOf(targetId), { session, page: this.#pageOf(page) });
        void this.#hearAll(session).catch(() => undefined);
        return;
      }
      case 'Target.detachedFromTarget':
        for (const [target, { session }] of this.#frames)
          if (session === params['sessionId']) this.#frames.delete(target);
        return;
      default:
        if (page !== null) this.#dialogs.hear(method, params, this.#pageOf(page));
        this.#log.hear(method, params, page === null ? null : this.#pageOf(page));
    }
  }

  async #see(target: string): Promise<void> {
    const how = { targetId: target, flatten: true };
    const session = textOf((await this.#pipe.ask('Target.attachToTarget', how))['sessionId']);
    try {
      await this.#hearAll(session);
    } finally {
      this.#open.set(session, { session, target });
    }
  }

  async #hearAll(session: string): Promise<void> {
    for (const part of ['Page', 'Network', 'Runtime', 'Log'])
      await this.ask(`${part}.enable`, {}, session);
    const how = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
    await this.ask('Target.setAutoAttach', { ...how, filter: [isFrame] }, session);
  }

  /** The page that a frame is in; a page itself. */
  #pageOf(session: string): string {
    return [...this.#frames.values()].find((one) => one.session === session)?.page ?? session;
  }

  /** Null: the frame is seen with its page. */
  frameSession(frameId: string): string | null {
    return this.#frames.get(frameId)?.session ?? null;
  }

  /** Throws NOT_ACTIONABLE while a dialog holds the page. Answers nothing once one opens. */
  async ask(method: string, params: Fields, page: string): Promise<Fields> {
    const held = this.#pageOf(page);
    return await this.#dialogs.answerOf(held, async () => this.#pipe.ask(method, params, page));
  }

  /** What holds a page. */
  dialogOf(page: string): PageDialog | null {
    return this.#dialogs.of(this.#pageOf(page));
  }

  async answerDialog(page: string, answer: DialogAnswer): Promise<void> {
    await this.#pipe.ask('Page.handleJavaScriptDialog', { ...answer }, page);
  }

  /** Every page, once there is one that is loaded. Throws NO_WINDOW. */
  async all(): Promise<readonly OpenPage[]> {
    await this.#begun;
    const until = monotonicMs() + FIRST_PAGE_MS;
    while (this.#open.size === 0) {
      if (monotonicMs() > until) throw new StrobeError('NO_WINDOW', 'The program shows no page.');
      await pause(TURN_MS);
    }
    return [...this.#open.values()];
  }

  /** Calls a function of JavaScript on a node; its value. */
  async onNode(page: string, node: number, body: string, ...args: unknown[]): Promise<unknown> {
    const { object } = await this.ask('DOM.resolveNode', { backendNodeId: node }, page);
    const objectId = textOf(fieldsOf(object)['objectId']);
    const answer = await this.ask(
      'Runtime.callFunctionOn',
      {
        objectId,
        functionDeclaration: body,
        arguments: args.map((value) => ({ value })),
        returnByValue: true,
        userGesture: true,
      },
      page,
    );
    void this.ask('Runtime.releaseObject', { objectId }, page).catch(() => undefined);
    return fieldsOf(answer['result'])['value'];
  }

  /** Waits until the pages have loaded, at most for a moment. */
  async loaded(): Promise<void> {
    const until = monotonicMs() + LOADING_MS;
    const state = { expression: readyState, returnByValue: true };
    for (const { session } of await this.all())
      while (monotonicMs() < until && this.dialogOf(session) === null) {
        const { result } = await this.ask('Runtime.evaluate', state, session);
        if (fieldsOf(result)['value'] === 'complete') break;
        await pause(TURN_MS);
      }
  }
}
