import { installPaths } from '../../base/installPaths.ts';
import { lineWith, type Ask, type Story, type Tell, type Verdict } from './story.ts';
import { member } from './toolCaller.ts';

const waitMs = 50_000;

/** A depot in Go: from a test that fails to the two calls which share their memory. */
export const depotStory: Story = {
  cause: `All routes begin with the same slice, which has room: append in demo/depot/routes.go writes each route's
last stop where that of the route before it stood.`,
  find,
};

async function find(ask: Ask, tell: Tell): Promise<Verdict> {
  const { depotProject: projectRoot } = installPaths();
  tell('Run the tests. What fails is run again with its calls recorded, and explained.');
  let ran = await ask('debug_test', { projectRoot, framework: 'go', diagnose: true, waitMs });
  if (member(ran.structured, 'state') === 'running') {
    const testRunId = member(ran.structured, 'testRunId');
    ran = await ask('debug_test', { action: 'wait', testRunId, timeoutMs: waitMs });
  }
  const [diagnosis] = listOf(member(ran.structured, 'diagnoses'));
  const sessionId = member(diagnosis, 'sessionId');
  if (typeof sessionId !== 'string')
    return { found: false, reason: 'no failed test was explained' };

  tell('The label of order A-17 names the shelf of another. What was it made of?');
  const labels = await ask('debug_query', {
    sessionId,
    view: 'events',
    function: { pattern: '**.label' },
    argument: [{ name: 'id', equals: 'A-17' }],
  });
  const line = lineWith(labels.text, /label\(id="A-17", route=\["gate", "scale", "C3"\]\)/);
  if (line === null) return { found: false, reason: 'no answer shows the route of A-17' };

  tell('Its route ends at C3. Where did the route end when it was planned?');
  const planned = await ask('debug_query', {
    sessionId,
    view: 'events',
    function: { pattern: '**.extended' },
  });
  const contrast = lineWith(planned.text, /extended\(.*stop="A1"\) = \["gate", "scale", "A1"\]/);
  if (contrast === null) return { found: false, reason: 'no answer shows how A-17 was planned' };
  return { found: true, line, contrast };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
