import x11, { type XClient } from 'x11';
import { connect } from 'node:net';
import { within } from '../../base/deadline.ts';
import { StrobeError } from '../../model/errors.ts';
import { cookieName, type StageAddress } from './stage.ts';

const LIMIT_MS = 5000;
/** What is asked in one turn goes in one write: each write wakes the display. */
const bufferRequests = { flushOnReply: false };

/** A connection to the display of a stage. */
export interface Display {
  readonly client: XClient;
  readonly root: number;
}

/** Throws NO_STAGE when the display does not answer. */
export async function openDisplay(
  { display, cookie }: StageAddress,
  onClosed: () => void,
): Promise<Display> {
  const auth = { name: cookieName, data: Buffer.from(cookie, 'hex').toString('latin1') };
  const opened = await asked<Parameters<Parameters<typeof x11.createClient>[1]>[1]>((answer) =>
    x11.createClient({ display, auth, stream: connect(socketOf(display)), bufferRequests }, answer),
  ).catch((error: unknown) => {
    throw new StrobeError(
      'NO_STAGE',
      `The display of this session cannot be reached: ${String(error)}.`,
    );
  });
  const { client } = opened;
  // The package keeps what atoms are called for all displays together; each display has numbers of its own.
  client.atoms = { ...client.atoms };
  client.on('error', () => {
    // A failed request has an answer of its own; a lost connection its end.
  });
  client.on('end', onClosed);
  return { client, root: opened.screen[0]?.root ?? 0 };
}

/** The answer to a request. Throws NO_STAGE when none comes. */
export async function asked<T>(
  ask: (answer: (error: unknown, value: T) => void) => void,
): Promise<T> {
  const work = new Promise<T>((resolve, reject) => {
    ask((error, value) => {
      if (error === null || error === undefined) resolve(value);
      else reject(error instanceof Error ? error : noAnswer());
    });
  });
  return await within(LIMIT_MS, work, noAnswer);
}

/** The package would try the network where this is not there. */
function socketOf(display: string): string {
  return `/tmp/.X11-unix/X${display.replace(':', '')}`;
}

function noAnswer(): StrobeError {
  return new StrobeError(
    'NO_STAGE',
    `The display of this session did not answer in ${LIMIT_MS} ms.`,
  );
}
