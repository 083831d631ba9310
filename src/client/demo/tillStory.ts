import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPaths } from '../../base/installPaths.ts';
import { lineWith, type Ask, type Story, type Tell, type Verdict } from './story.ts';
import { member } from './toolCaller.ts';

/** Debian's own Python, as GTK comes with it. */
const python = '/usr/bin/python3';
const bindings = [
  '/usr/lib/python3/dist-packages/gi/__init__.py',
  '/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib',
];
const packages = 'python3-gi gir1.2-gtk-3.0 xvfb at-spi2-core';

/** A till with a window: its output is right, and what the customer sees is not. */
export const tillStory: Story = {
  cause: `The window shows euros(): it puts cents behind the point as they are, so 355 cents are "3.55" and 605 are "6.5".
demo/till/till.py lacks the leading zero (:02d); the output, which is in cents, never shows it.`,
  find,
};

async function find(ask: Ask, tell: Tell): Promise<Verdict> {
  const { tillProject } = installPaths();
  if (!bindings.every((path) => existsSync(path)))
    return { found: false, reason: `GTK 3 for Python is missing: apt-get install ${packages}` };
  tell('Start the till on a display of its own.');
  await ask('debug_launch', {
    command: python,
    args: ['till.py'],
    cwd: tillProject,
    projectRoot: tillProject,
    ui: true,
  });

  tell('What does its window show?');
  await ask('debug_ui', { action: 'tree' });

  tell(
    'Sell as a customer would buy, and say what must be seen. The functions that are named are traced.',
  );
  const sold = await ask('debug_channel', {
    action: 'run',
    steps: [
      ...steps('Bread', 'Total 2.50', 250),
      ...steps('Milk', 'Total 3.55', 355),
      ...steps('Bread', 'Total 6.05', 605),
    ],
  });
  if (member(sold.structured, 'outcome') !== 'failed')
    return { found: false, reason: 'the window showed every total as it should' };
  const seen = lineWith(sold.text, /\[label "Total 6\.5"/);
  if (seen === null) return { found: false, reason: 'no answer shows the wrong total' };

  tell('605 cents were counted, and the window says 6.5. This is what the customer sees:');
  const path = pictureIn(tillProject);
  await ask('debug_ui', { action: 'screenshot', ...(path === null ? {} : { path }) });

  tell('Which function made that text?');
  const calls = await ask('debug_query', {
    view: 'events',
    function: { pattern: '**.euros' },
    limit: 5,
  });
  const wrong = lineWith(calls.text, /euros\(cents=605\) = "6\.5"/);
  const right = lineWith(calls.text, /euros\(cents=355\) = "3\.55"/);
  if (wrong === null || right === null)
    return { found: false, reason: 'no answer shows the calls of euros' };

  tell('Enough is known: stop it.');
  await ask('debug_session', { action: 'stop' });
  return { found: true, line: wrong, contrast: right };
}

/** An article is sold: once, with this sum in its output, and with this text in the window. */
function steps(article: string, total: string, cents: number): readonly object[] {
  return [
    { do: 'click', role: 'button', name: article },
    { assert: { on: 'stdio', text: `${article}: ${cents} cents` } },
    {
      assert: {
        on: 'trace',
        function: '**.euros',
        argument: { name: 'cents', equals: cents },
        count: 1,
      },
    },
    { assert: { on: 'ui', role: 'label', name: total } },
  ];
}

/** Beside the program; null where nothing can be written there: the session's folder serves. */
function pictureIn(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK);
    return join(folder, 'till.png');
  } catch {
    return null;
  }
}
