import { installPaths } from '../../base/installPaths.ts';
import {
  lineWith,
  waitForComplaint,
  type Ask,
  type Story,
  type Tell,
  type Verdict,
} from './story.ts';
import { member } from './toolCaller.ts';

const inOrder =
  'forall(board->first, it->next, it->score < next->score || it->score == next->score && it->name < next->name)';

/** A game's board in C: from a rank that is not found to the line that broke the order, without a stop. */
export const ranksStory: Story = {
  cause: `A player that reaches the score of a neighbour stays beside it: demo/ranks/src/board.c compares scores alone
there, and players with the same score are ordered by name. From then on the board's search ends too early.`,
  find,
};

async function find(ask: Ask, tell: Tell): Promise<Verdict> {
  const { ranks: command, ranksProject: projectRoot } = installPaths();
  tell('A board must be in order whenever its functions return. Have that checked from the start.');
  const patterns = [
    { pattern: 'board_join', invariant: inOrder },
    { pattern: 'board_move', invariant: inOrder, lines: true },
  ];
  await ask('debug_launch', { command, projectRoot, patterns });

  tell('Wait until its auditor complains.');
  await ask('debug_session', waitForComplaint());

  tell('Which call broke the order first?');
  const broken = await ask('debug_query', { eventType: ['logpoint'], limit: 1 });
  const line = lineWith(broken.text, /after board_\w+: .* does not hold/);
  const call = member(firstOf(member(broken.structured, 'events')), 'parentEventId');
  if (line === null || typeof call !== 'string')
    return { found: false, reason: 'no call broke the order in time' };

  tell('Which way did that call take, and with what?');
  const lines = await ask('debug_query', { view: 'tree', root: call, lines: true });
  const contrast = lineWith(lines.text, /×1 +player->score = score;/);
  if (contrast === null) return { found: false, reason: 'no line shows the update in place' };

  tell('It was moved in place, beside a player with the same score. Enough is known: stop it.');
  await ask('debug_session', { action: 'stop' });
  return { found: true, line, contrast };
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}
