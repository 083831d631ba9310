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
  const rows = Object.entries(contract.settings);
  const properties = Object.fromEntries(
    rows.map(([name, row]) => {
      const { $schema: _dialect, ...schema } = zod.toJSONSchema(row.schema);
      return [name, { ...schema, default: row.default, description: row.meaning }];
    }),
  );
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Strobe settings',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...properties },
    additionalProperties: false,
  };
  const table = rows.map(
    ([name, row]) =>
      `| \`${name}\` | \`${JSON.stringify(row.default)}\` | ${row.scope} | \`${contract.settingVariable(name)}\` | ${row.meaning} |`,
  );
  const page = [intro, '| Setting | Default | Scope | Variable | Meaning |', '|---|---|---|---|---|', ...table, ''].join('\n');
  return [
    { path: 'settings.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
    { path: 'docs/settings.md', text: page },
  ];
}
