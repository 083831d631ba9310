import { loadTypeScript } from '../loadTypeScript.mjs';

const note = (source) => `<!-- Generated from ${source} by npm run generate; do not edit. -->`;

/** What a JSON Schema allows, in a few words. */
function typeText(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' \\| ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return [...new Set(branches.map(typeText))].join(' or ');
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties)
    return `{${Object.keys(schema.properties).join(', ')}}`;
  if (schema.type === 'object') return 'object';
  return schema.type ?? 'any';
}

function boundsText(schema) {
  const bounds = [];
  if (schema.minimum !== undefined) bounds.push(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER)
    bounds.push(`at most ${schema.maximum}`);
  if (schema.default !== undefined) bounds.push(`default \`${JSON.stringify(schema.default)}\``);
  return bounds.join(', ');
}

function parameterRow([name, schema], required) {
  const said = [schema.description, boundsText(schema)].filter(Boolean).join(' ');
  return `| \`${name}\`${required ? ' (required)' : ''} | ${typeText(schema)} | ${said.replaceAll('|', '\\|')} |`;
}

function variantTitle(choice, name) {
  if (choice.by) return `With \`${choice.by[name]}\`: ${name}`;
  return `${choice.key}: \`${name}\`${name === choice.default ? ' (default)' : ''}`;
}

/** Objects inside parameters: each member by its path, as deep as they go. */
function memberRows(path, schema) {
  const rows = new Map();
  const visit = (at, one) => {
    for (const branch of one.anyOf ?? one.oneOf ?? []) visit(at, branch);
    if (one.items) visit(`${at}[]`, one.items);
    for (const [name, member] of Object.entries(one.properties ?? {})) {
      const inner = `${at}.${name}`;
      if (!rows.has(inner)) rows.set(inner, parameterRow([inner, member], false));
      visit(inner, member);
    }
  };
  visit(path, schema);
  return [...rows.values()];
}

function parameterTable(variant, key) {
  const rows = Object.entries(variant.properties)
    .filter(([name]) => variant.name === null || name !== key)
    .flatMap(([name, schema]) => [
      parameterRow([name, schema], variant.required.includes(name) && schema.default === undefined),
      ...memberRows(name, schema),
    ]);
  return ['| Parameter | Type | Meaning |', '|---|---|---|', ...rows, ''];
}

function toolPage(tool, { inputVariants, outputVariants }, commands) {
  const tables = inputVariants(tool).flatMap((variant) => [
    ...(variant.name === null ? [] : [`### ${variantTitle(tool.variant, variant.name)}`, '']),
    ...parameterTable(variant, tool.variant?.key),
  ]);
  const hints = Object.entries(tool.annotations)
    .filter(([, value]) => value)
    .map(([name]) => name.replace('Hint', ''));
  const answers = outputVariants(tool).map(
    ({ name, properties }) =>
      `- ${name === null ? '' : `\`${name}\`: `}${Object.keys(properties)
        .map((member) => `\`${member}\``)
        .join(', ')}`,
  );
  return [
    `# ${tool.name}`,
    '',
    note('src/protocol/tools'),
    '',
    `**${tool.title}.** ${hints.length > 0 ? `(${hints.join(', ')})` : ''}`.trim(),
    '',
    tool.description,
    '',
    '## In a terminal',
    '',
    '```sh',
    ...commands.flatMap(({ examples }) => examples.map((example) => `strobe ${example}`)),
    '```',
    '',
    `${commands.map(({ command }) => `\`strobe ${command} --help\``).join(', ')} and [the command line](../cli.md) have the options.`,
    '',
    '## Parameters',
    '',
    ...tables,
    '## Answers',
    '',
    'An answer is text. With `strobe mcp --structured` (in a terminal: `--json`) it has these members, too:',
    '',
    ...answers,
    '',
    'An unknown parameter is refused with the nearest valid name. A refused call answers',
    '`{"error": {code, kind, message, hint, retryable}}` with `isError`; [all codes](../errors.md).',
    '',
  ].join('\n');
}

/** docs/tools.md with a page for each tool, docs/cli.md and docs/errors.md. */
export async function generateReference(root) {
  const parts = await loadTypeScript(root, {
    tools: 'src/protocol/tools/tools.ts',
    schema: 'src/protocol/tools/wireSchema.ts',
    output: 'src/protocol/tools/wireOutput.ts',
    grammar: 'src/protocol/tools/cliGrammar.ts',
    help: 'src/client/help.ts',
    errors: 'src/model/errors.ts',
    status: 'src/protocol/cliExitStatus.ts',
  });
  const { tools } = parts.tools;
  const all = parts.grammar.cliCommands(tools);
  const toolPages = tools.map((tool) => ({
    path: `docs/tools/${tool.name}.md`,
    text: toolPage(
      tool,
      { ...parts.schema, ...parts.output },
      all.filter((command) => command.tool === tool.name),
    ),
  }));
  const toolList = [
    '# Tools',
    '',
    note('src/protocol/tools'),
    '',
    '| Tool | What it does |',
    '|---|---|',
    ...tools.map(({ name, title }) => `| [\`${name}\`](tools/${name}.md) | ${title} |`),
    '',
  ];
  const statuses = parts.help
    .exitMeanings(parts.status.exitStatus)
    .map(([status, meaning]) => `| ${status} | ${meaning} |`);
  const commands = all.flatMap((command) => [
    `## strobe ${command.command}`,
    '',
    '```',
    parts.help.commandHelp(command).trimEnd(),
    '```',
    '',
  ]);
  const cliPage = [
    '# Command line',
    '',
    note('src/protocol/tools'),
    '',
    'Commands of one terminal are one client: they share their sessions. Commands without a terminal (scripts, coding',
    'agents that run one command at a time) share one client per user. A launched session lives on when its terminal is',
    'closed, unless `--on-client-exit` says otherwise.',
    '',
    '| Exit status | Meaning |',
    '|---|---|',
    ...statuses,
    '',
    '`strobe run` returns the status of the program; a program that a signal ended gives the same signal, or 128 and its',
    'number where the signal would dump core. 127: there is no such program. 126: it cannot be run.',
    '',
    ...commands,
  ];
  const rows = Object.entries(parts.errors.errors).map(
    ([code, row]) =>
      `| \`${code}\` | ${row.kind} | ${row.meaning} | ${row.hint.replaceAll('|', '\\|')} | ${row.retryable ? 'yes' : 'no'} |`,
  );
  const errorPage = [
    '# Errors',
    '',
    note('src/model/errors.ts'),
    '',
    'Kinds: `caller` fix the arguments · `state` not possible now · `target` the program · `environment` the machine · `bug` ours.',
    '',
    '| Code | Kind | Meaning | Next step | Retry |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ];
  return [
    { path: 'docs/tools.md', text: toolList.join('\n') },
    ...toolPages,
    { path: 'docs/cli.md', text: cliPage.join('\n') },
    { path: 'docs/errors.md', text: errorPage.join('\n') },
  ];
}
