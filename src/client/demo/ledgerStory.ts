import { installPaths } from '../../base/installPaths.ts';
import {
  callWith,
  waitForComplaint,
  type Ask,
  type Story,
  type Tell,
  type Verdict,
} from './story.ts';
import type { ToolResult } from './toolCaller.ts';

const roundsAtMost = 6;

/** A payment service in C++: from the complaint in the output to the argument that explains it. */
export const ledgerStory: Story = {
  cause: `Transfers are remembered for 45 ms: the agreement says 45 s, and demo/ledger/src/policy.cpp passes
that number on as milliseconds. A transfer whose answer is lost twice is then booked again.`,
  find,
};

async function find(ask: Ask, tell: Tell): Promise<Verdict> {
  const { ledger: program, ledgerProject: projectRoot } = installPaths();
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
  const line = callWith(life.text, 'remember', /\bwindowMs=45\b/, /\bpaymentId=/);
  if (line === null) return { found: false, reason: `no answer shows windowMs=45 for ${id}` };

  tell('And how long are payments of the other channels remembered?');
  const others = await ask('debug_query', {
    view: 'events',
    function: { equals: 'settle::DuplicateGuard::remember' },
    argument: [{ name: 'windowMs', gt: 45 }],
    limit: 3,
  });
  const contrast = callWith(others.text, 'remember', /\bwindowMs=\d{5}\b/);
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
