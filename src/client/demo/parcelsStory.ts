import { installPaths } from '../../base/installPaths.ts';
import {
  lineWith,
  waitForComplaint,
  type Ask,
  type Story,
  type Tell,
  type Verdict,
} from './story.ts';

/** A shipping service in Python: from a wrong quote to the call that spoiled the rate it was made of. */
export const parcelsStory: Story = {
  cause: `A fragile parcel's extra is added to the rate's own list: \`extras += …\` in demo/parcels/parcels/quotes.py
changes the list in place, and the rate stays in the cache. Until it is asked for again, each parcel pays for it.`,
  find,
};

async function find(ask: Ask, tell: Tell): Promise<Verdict> {
  tell('Start the service with its own functions traced.');
  const { parcelsProject: projectRoot } = installPaths();
  await ask('debug_launch', {
    command: 'python3',
    args: ['-m', 'parcels', '60'],
    cwd: projectRoot,
    projectRoot,
    patterns: ['@usercode'],
  });

  tell('Wait until its auditor complains.');
  const complained = await ask('debug_session', waitForComplaint());
  const id = /AUDIT parcel (\S+):/.exec(complained.text)?.[1];
  if (id === undefined) return { found: false, reason: 'no quote was wrong in time' };

  tell(`What happened to parcel ${id}?`);
  const life = await ask('debug_query', {
    view: 'events',
    text: id,
    function: { contains: 'quotes' },
  });
  const wrong = lineWith(life.text, /quote\(.*fragile=false.*extras=\("fragile"/);
  if (wrong === null) return { found: false, reason: `no answer shows what parcel ${id} paid for` };

  tell('It is not fragile, and pays for that. Whose extras hold it rightly?');
  const fragile = await ask('debug_query', {
    view: 'events',
    function: { contains: 'extras_of' },
    argument: [{ name: 'parcel.fragile', equals: true }],
    limit: 2,
  });
  const spoiling = lineWith(fragile.text, /extras_of\(.*extras=\[\].*\) = \[.*fragile/);
  if (spoiling === null) return { found: false, reason: 'no answer shows a fragile parcel' };

  tell('It came with a rate without extras. Which rates are handed out with this one?');
  const rates = await ask('debug_query', {
    view: 'events',
    function: { contains: 'rate_for' },
    returnValue: { contains: 'fragile' },
    limit: 2,
  });
  const spoiled = lineWith(rates.text, /rate_for\(.*\) = .*extras=\[.*fragile/);
  if (spoiled === null) return { found: false, reason: 'no answer shows a rate with the extra' };

  tell('The cache hands out a rate that a quote has changed. Enough is known: stop it.');
  await ask('debug_session', { action: 'stop' });
  return { found: true, line: spoiling, contrast: spoiled };
}
