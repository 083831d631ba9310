import { member, type ToolResult } from './toolCaller.ts';

/** Asks a tool and shows request and answer; throws when the answer is an error. */
export type Ask = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

/** Says what comes next and why. */
export type Tell = (title: string) => void;

/** What the story found: the line of an answer that shows the cause, or why there is none. */
export type Verdict =
  | { readonly found: true; readonly line: string; readonly contrast: string }
  | { readonly found: false; readonly reason: string };

const complaint = 'AUDIT';
const complaintLimitMs = 15_000;
const roundsAtMost = 6;

/** From the complaint in the output to the argument that explains it. */
export async function findTheBug(
  program: string,
  projectRoot: string,
  ask: Ask,
  tell: Tell,
): Promise<Verdict> {
  tell('Start the settlement service under observation. Nothing is traced yet.');
  await ask('debug_launch', { command: program, projectRoot });

  tell('Read what it says, until its auditor complains.');
  const first = await ask('debug_session', waitForComplaint());
  await ask('debug_query', { view: 'output', tail: 6 });

  tell('The books do not balance, and the output does not say why. Trace it while it runs.');
  await ask('debug_trace', { add: ['settle::**'] });

  tell('Wait until it happens again, under the trace.');
  const id = await paymentBookedAgain(ask, tell, first);
  if (id === null)
    return { found: false, reason: 'no payment was booked twice while it was traced' };

  tell(`All about ${id}: it was booked twice. What was remembered the first time?`);
  const life = await ask('debug_query', {
    view: 'events',
    argument: [{ name: 'paymentId', equals: id }],
    limit: 20,
  });
  const line = lineWith(life.text, /(?:remember\(|^the same in all calls: ).*\bwindowMs=45\b/);
  if (line === null) return { found: false, reason: `no answer shows windowMs=45 for ${id}` };

  tell('And how long are payments of the other channels remembered?');
  const others = await ask('debug_query', {
    view: 'events',
    function: { equals: 'settle::DuplicateGuard::remember' },
    argument: [{ name: 'windowMs', gt: 45 }],
    limit: 3,
  });
  const contrast = lineWith(
    others.text,
    /(?:remember\(|^the same in all calls: ).*\bwindowMs=\d{5}\b/,
  );
  if (contrast === null)
    return { found: false, reason: 'no answer shows the window of another channel' };

  tell('Enough is known: stop it.');
  await ask('debug_session', { action: 'stop' });
  return { found: true, line, contrast };
}

/** The id of a payment that was tried again and not recognised; null when none was seen in time. */
async function paymentBookedAgain(
  ask: Ask,
  tell: Tell,
  before: ToolResult,
): Promise<string | null> {
  let waited = before;
  for (let round = 1; round <= roundsAtMost; round++) {
    waited = await ask('debug_session', waitForComplaint(waited));
    if (round === 1) {
      tell('How often is each function called, how long does it take? How does one payment go?');
      await ask('debug_query', { view: 'stats', sortBy: 'count', limit: 12 });
      await ask('debug_query', { view: 'tree', root: 'settle::Processor::settle', budget: 700 });
      tell('Retries are guarded by wasBooked(). When did it not recognise a payment?');
    }
    const missed = await ask('debug_query', {
      view: 'events',
      function: { equals: 'settle::DuplicateGuard::wasBooked' },
      returnValue: { equals: false },
      limit: 5,
    });
    const id = /paymentId="([^"]+)"/.exec(missed.text)?.[1];
    if (id !== undefined) return id;
  }
  return null;
}

function waitForComplaint(before?: ToolResult): Record<string, unknown> {
  const cursor = member(before?.structured, 'cursor');
  return {
    action: 'wait',
    for: ['output'],
    match: complaint,
    timeoutMs: complaintLimitMs,
    ...(typeof cursor === 'string' ? { after: cursor } : {}),
  };
}

function lineWith(text: string, wanted: RegExp): string | null {
  return (
    text
      .split('\n')
      .find((line) => wanted.test(line))
      ?.trim() ?? null
  );
}
