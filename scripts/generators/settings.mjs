import { loadTypeScript } from '../loadTypeScript.mjs';

const intro = `# Settings

<!-- Generated from src/protocol/settings.ts by npm run generate; do not edit. -->

Read in this order, the later one winning: the defaults, \`~/.strobe/settings.json\` (or \`$STROBE_HOME/settings.json\`),
\`<projectRoot>/.strobe/settings.json\`, the environment. A project's file comes from a repository: it may only lower
the limits marked so; everything else in it is reported and has no effect. Unknown names are reported with the nearest
one. The daemon's own settings are read when it starts.
`;

/** settings.schema.json, for editors, and docs/settings.md. */
export async function generateSettings(root) {
  const { contract, zod } = await loadTypeScript(root, {
    contract: 'src/protocol/settings.ts',
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
    const scope = contract.projectMayLower.includes(name) ? 'project: lower only' : 'user';
    return `| \`${name}\` | \`${JSON.stringify(row.default)}\` | ${scope} | \`${contract.settingVariable(name)}\` | ${row.description} |`;
  });
  const page = [
    intro,
    '| Setting | Default | Scope | Variable | Meaning |',
    '|---|---|---|---|---|',
    ...table,
    '',
  ].join('\n');
  return [
    { path: 'settings.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    { path: 'docs/settings.md', text: page },
  ];
}
