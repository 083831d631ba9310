import { loadTypeScript } from '../loadTypeScript.mjs';

const intro = `# Settings

<!-- Generated from src/protocol/settingsSchema.ts by npm run generate; do not edit. -->

Read in this order, the later one winning: the defaults, \`~/.strobe/settings.json\` (or \`$STROBE_HOME/settings.json\`),
\`<projectRoot>/.strobe/settings.json\`, the environment. A project's file comes from a repository: it may only lower
the limits and lengthen the lists marked so; everything else in it is reported and has no effect. A wrong value is
reported with its file and line and has no effect; unknown names are reported with the nearest one. Reports are in the
notes of the launch and in \`strobe daemon status\`. A list in a variable is separated by commas.

\`\`\`json
{
  "retention.days": 30,
  "events.maxPerSession": 50000000,
  "redaction.names": ["password", "api key", "token"]
}
\`\`\`

A project's \`.strobe/settings.json\` may hold, for example:

\`\`\`json
{
  "ring.slots": 32,
  "output.maxBytesPerSession": 16777216,
  "redaction.names": ["patient id"]
}
\`\`\`
`;

const mayTexts = { lower: 'lower it', add: 'add to it' };

/** settings.schema.json, for editors, and docs/settings.md. */
export async function generateSettings(root) {
  const { contract, zod } = await loadTypeScript(root, {
    contract: 'src/protocol/settingsSchema.ts',
    zod: 'node_modules/zod/index.js',
  });
  const { $schema, properties } = zod.toJSONSchema(contract.settingsSchema, { io: 'input' });
  const schema = {
    $schema,
    title: 'Strobe settings',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...properties },
    additionalProperties: false,
  };
  const table = Object.entries(properties).map(([name, row]) => {
    const may = mayTexts[contract.projectMay[name]] ?? '–';
    const from = contract.readPerSession.includes(name) ? 'next session' : 'start of the daemon';
    return `| \`${name}\` | \`${JSON.stringify(row.default)}\` | ${may} | ${from} | \`${contract.settingVariable(name)}\` | ${row.description} |`;
  });
  const page = [
    intro,
    '| Setting | Default | A project may | Counts from | Variable | Meaning |',
    '|---|---|---|---|---|---|',
    ...table,
    '',
  ].join('\n');
  return [
    { path: 'settings.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    { path: 'docs/settings.md', text: page },
  ];
}
