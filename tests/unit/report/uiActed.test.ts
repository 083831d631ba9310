import { expect, test } from 'vitest';
import { manifest } from '../../../src/client/manifest.ts';
import { withCommands } from '../../../src/client/commandText.ts';
import { renderActed } from '../../../src/daemon/report/session/uiAnswer.ts';
import { session } from './samples.ts';

test('[ui.act] what is asked next about an action is a command in a terminal', () => {
  const { text, structured } = renderActed(
    {
      view: session(),
      order: { action: 'click', id: 'btn_play', count: 1, takeOver: false },
      acted: {
        done: 'confirmed',
        means: 'pointer',
        element: null,
        delta: ['+ [menu id=mnu1]'],
        isClosed: false,
        settledMs: 60,
      },
      from: 6083340173,
      meanwhile: { output: ['note 1'], moreOutput: 0, calls: [], moreFunctions: 0 },
    },
    1500,
  );
  expect(structured).toMatchObject({
    nextSteps: ['debug_query {"view":"events","timeFrom":6083340173}'],
  });
  expect(withCommands(text, manifest.commands, false)).toBe(
    [
      'click btn_play by pointer: confirmed · 60 ms',
      '+ [menu id=mnu1]',
      'wrote: note 1',
      'next:',
      '  strobe query events --time-from 6083340173  — everything since',
    ].join('\n'),
  );
});
