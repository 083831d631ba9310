import { join } from 'node:path';
import { nearest } from '../base/nearest.ts';
import { installPaths } from '../base/installPaths.ts';
import { checkOptions } from './checkOptions.ts';
import { ClientError } from './clientError.ts';
import type { Output } from './toolCommand.ts';

interface Registration {
  readonly title: string;
  /** Where the text goes. */
  readonly place: string;
  text(program: string): string;
}

const server = (program: string): object => ({ command: program, args: ['mcp'] });
const json = (value: object): string => JSON.stringify(value, null, 2);

/** How each client is told about an MCP server. */
const registrations: Readonly<Record<string, Registration>> = {
  'claude-code': {
    title: 'Claude Code',
    place: '.mcp.json in the project, or run: claude mcp add strobe -- strobe mcp',
    text: (program) => json({ mcpServers: { strobe: server(program) } }),
  },
  codex: {
    title: 'Codex',
    place: '~/.codex/config.toml',
    text: (program) => `[mcp_servers.strobe]\ncommand = ${JSON.stringify(program)}\nargs = ["mcp"]`,
  },
  vscode: {
    title: 'VS Code',
    place: '.vscode/mcp.json',
    text: (program) => json({ servers: { strobe: { type: 'stdio', ...server(program) } } }),
  },
  cursor: {
    title: 'Cursor',
    place: '.cursor/mcp.json',
    text: (program) => json({ mcpServers: { strobe: server(program) } }),
  },
};

/** `strobe install [client] --print`: prints registrations, changes nothing. */
export function runInstall(words: readonly string[], output: Output): number {
  const names = Object.keys(registrations);
  const wanted = words.filter((word) => !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('-'));
  checkOptions('install', flags, ['--print']);
  if (flags.length === 0) {
    throw new ClientError(
      'BAD_PARAMETER',
      'strobe install only prints registrations.',
      `strobe install ${wanted[0] ?? '[client]'} --print; clients: ${names.join(', ')}.`,
    );
  }
  const program = join(installPaths().root, 'strobe');
  for (const name of wanted.length > 0 ? wanted : names) {
    const registration = Object.hasOwn(registrations, name) ? registrations[name] : undefined;
    if (!registration) {
      const [close] = nearest(name, names);
      const question = close === undefined ? '' : ` Did you mean "${close}"?`;
      throw new ClientError(
        'BAD_PARAMETER',
        `"${name}" is not a known client.${question}`,
        `Use one of: ${names.join(', ')}.`,
      );
    }
    output.err(`# ${registration.title}: ${registration.place}\n`);
    output.out(`${registration.text(program)}\n`);
  }
  return 0;
}
