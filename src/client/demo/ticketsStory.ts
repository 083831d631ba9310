import { installPaths } from '../../base/installPaths.ts';
import {
  lineWith,
  waitForComplaint,
  type Ask,
  type Story,
  type Tell,
  type Verdict,
} from './story.ts';

/** A box office in TypeScript: from a wrong bill to the order that came in between. */
export const ticketsStory: Story = {
  cause: `All orders are filled into one sheet: \`Object.assign(sheet, order)\` in demo/tickets/src/checkout.ts. While one
waits for its rate, the next fills the same sheet, and both are billed for what stands there last.`,
  find,
};

async function find(ask: Ask, tell: Tell): Promise<Verdict> {
  tell('Start the service with its own functions traced.');
  const { ticketsProject: projectRoot, tickets } = installPaths();
  await ask('debug_launch', {
    command: 'node',
    args: [tickets, '60'],
    cwd: projectRoot,
    projectRoot,
    patterns: ['@usercode'],
  });

  tell('Wait until its auditor complains.');
  const complained = await ask('debug_session', waitForComplaint());
  const id = /AUDIT order (\S+):/.exec(complained.text)?.[1];
  if (id === undefined) return { found: false, reason: 'no bill was wrong in time' };

  tell(`What happened to order ${id}?`);
  const life = await ask('debug_query', {
    view: 'events',
    function: { contains: 'checkout' },
    text: id,
    limit: 3,
  });
  const order = lineWith(life.text, new RegExp(`checkout\\.checkout\\(order=.*"${id}"`));
  const call = /\[(c[\d.]+)\]/.exec(order ?? '')?.[1];
  if (order === null || call === undefined)
    return { found: false, reason: `no answer shows order ${id}` };

  tell('It went in as it was asked for. What was done for it?');
  const inside = await ask('debug_query', { view: 'tree', root: call });
  const other = lineWith(inside.text, /billed\(sold=.*id="T-\d+"/);
  const otherId = /id="(T-\d+)"/.exec(other ?? '')?.[1];
  if (other === null || otherId === undefined || otherId === id)
    return { found: false, reason: 'no answer shows what it was billed for' };

  tell(`It was billed for ${otherId}. When did that come in?`);
  const between = await ask('debug_query', {
    view: 'events',
    function: { contains: 'checkout.checkout' },
    text: otherId,
    eventType: ['call'],
  });
  const came = lineWith(
    between.text,
    new RegExp(`checkout\\.checkout\\(order=Object\\{id="${otherId}"`),
  );
  if (came === null) return { found: false, reason: `no answer shows order ${otherId}` };

  tell('While the first waited for its rate. Enough is known: stop it.');
  await ask('debug_session', { action: 'stop' });
  return { found: true, line: other, contrast: came };
}
