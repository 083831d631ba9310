import x11, { type XClient } from 'x11';
import { connect, type Socket } from 'node:net';
import { within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import { cookieName, type StageAddress } from './stage.ts';

const LIMIT_MS = 5000;
/** What is asked in one turn goes in one write: each write wakes the display. */
const bufferRequests = { flushOnReply: false };
/** Window, Pixmap, Match, Drawable (X Window System Protocol, §4): what a request names is gone, or is not shown. */
const absent: ReadonlySet<unknown> = new Set([3, 4, 8, 9]);

type Ask<T> = (answer: (error: unknown, value: T) => void) => void;
type Opened = Parameters<Parameters<typeof x11.createClient>[1]>[1];

/** A connection to the display of a stage. */
export class Display {
  readonly client: XClient;
  readonly root: number;
  /** Ends the questions that are not answered yet. */
  readonly #waiting = new Set<(error: StrobeError) => void>();
  #hasEnded = false;

  private constructor({ client, screen }: Opened, stream: Socket, onClosed: () => void) {
    this.client = client;
    this.root = screen[0]?.root ?? 0;
    // The package keeps what atoms are called for all displays together; each display has numbers of its own.
    client.atoms = { ...client.atoms };
    client.on('error', () => {
      // A failed request has an answer of its own; a lost connection its end.
    });
    // The package tells no end of a connection that fails.
    stream.once('close', () => {
      this.#hasEnded = true;
      for (const fail of this.#waiting) fail(ended());
      onClosed();
    });
  }

  /** Throws NO_STAGE when the display does not answer. */
  static async open(
    { display, cookie }: StageAddress,
    onClosed: () => void = () => undefined,
  ): Promise<Display> {
    const auth = { name: cookieName, data: Buffer.from(cookie, 'hex').toString('latin1') };
    const stream = connect(socketOf(display));
    const opening = answerTo<Opened>((answer) =>
      x11.createClient({ display, auth, stream, bufferRequests }, answer),
    );
    try {
      return new Display(await within(LIMIT_MS, opening, silent), stream, onClosed);
    } catch (error) {
      stream.destroy();
      throw new StrobeError(
        'NO_STAGE',
        `The display of this session cannot be reached: ${String(error)}.`,
      );
    }
  }

  /** The answer to a request. Throws NO_STAGE when none comes, NO_WINDOW when what it names is gone. */
  async ask<T>(ask: Ask<T>): Promise<T> {
    if (this.#hasEnded) throw ended();
    let fail: (error: StrobeError) => void = () => undefined;
    const lost = new Promise<never>((_, reject) => (fail = reject));
    this.#waiting.add(fail);
    try {
      return await within(LIMIT_MS, Promise.race([answerTo(ask), lost]), silent);
    } catch (error) {
      throw isAbsent(error) ? goneMeanwhile() : error;
    } finally {
      this.#waiting.delete(fail);
    }
  }
}

/** Null: the window was closed meanwhile. */
export async function unlessClosed<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StrobeError && error.code === 'NO_WINDOW') return null;
    throw error;
  }
}

async function answerTo<T>(ask: Ask<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    ask((error, value) => {
      if (error === null || error === undefined) resolve(value);
      else reject(error instanceof Error ? error : silent());
    });
  });
}

/** The package gives the number of the protocol as `error`. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'error' in error && absent.has(error.error);
}

/** The package would try the network where this is not there. */
function socketOf(display: string): string {
  return `/tmp/.X11-unix/X${display.replace(':', '')}`;
}

function silent(): StrobeError {
  return new StrobeError(
    'NO_STAGE',
    `The display of this session did not answer in ${LIMIT_MS} ms.`,
  );
}

function ended(): StrobeError {
  return new StrobeError(
    'NO_STAGE',
    'The display of this session ended.',
    'debug_session {"action":"status"} says whether its program runs.',
  );
}

function goneMeanwhile(): StrobeError {
  return new StrobeError(
    'NO_WINDOW',
    'A window was closed, or hidden, while it was used.',
    'Try again: debug_ui {"action":"tree"} shows what is left.',
  );
}
