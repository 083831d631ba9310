import { join } from 'node:path';

/** Where and how one coding agent is told of a server. */
export interface ClientKind {
  readonly name: string;
  readonly title: string;
  readonly form: 'json' | 'toml';
  /** The user's file, below the user's home where nothing else is set. */
  readonly file: (places: Places) => string;
  /** The project's file, from the project's root; null when the client has none. */
  readonly projectFile: string | null;
  /** The member that holds the servers. */
  readonly servers: string;
  /** What the entry says beside command and arguments. */
  readonly always: Readonly<Record<string, unknown>>;
  /** Limits, where the client has them: written once, and the user's to change. */
  readonly limits: Readonly<Record<string, number>>;
  /** Folders of its skills. */
  readonly skills: (places: Places) => string;
  readonly projectSkills: string;
}

/** The user's folders. */
export interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const below = (variable: string, usual: string) => {
  return ({ home, env }: Places): string => env[variable] ?? join(home, usual);
};
const claude = below('CLAUDE_CONFIG_DIR', '');
const codex = below('CODEX_HOME', '.codex');
const copilot = below('COPILOT_HOME', '.copilot');
const settings = below('XDG_CONFIG_HOME', '.config');
const stdio = { type: 'stdio' };
/** Tool calls answer within a minute; a first launch installs Frida before. */
const callMs = 600_000;

export const clientKinds: readonly ClientKind[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    form: 'json',
    file: (places) => join(claude(places), '.claude.json'),
    projectFile: '.mcp.json',
    servers: 'mcpServers',
    always: stdio,
    limits: { timeout: callMs },
    skills: (places) => join(below('CLAUDE_CONFIG_DIR', '.claude')(places), 'skills'),
    projectSkills: '.claude/skills',
  },
  {
    name: 'codex',
    title: 'Codex',
    form: 'toml',
    file: (places) => join(codex(places), 'config.toml'),
    projectFile: '.codex/config.toml',
    servers: 'mcp_servers',
    always: {},
    limits: { startup_timeout_sec: 60, tool_timeout_sec: callMs / 1000 },
    skills: ({ home }) => join(home, '.agents/skills'),
    projectSkills: '.agents/skills',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    form: 'json',
    file: (places) => join(settings(places), 'Code/User/mcp.json'),
    projectFile: '.vscode/mcp.json',
    servers: 'servers',
    always: stdio,
    limits: {},
    skills: (places) => join(copilot(places), 'skills'),
    projectSkills: '.github/skills',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    form: 'json',
    file: ({ home }) => join(home, '.cursor/mcp.json'),
    projectFile: '.cursor/mcp.json',
    servers: 'mcpServers',
    always: stdio,
    limits: {},
    skills: ({ home }) => join(home, '.cursor/skills'),
    projectSkills: '.cursor/skills',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    form: 'json',
    file: ({ home }) => join(home, '.codeium/windsurf/mcp_config.json'),
    projectFile: null,
    servers: 'mcpServers',
    always: {},
    limits: {},
    skills: ({ home }) => join(home, '.codeium/windsurf/skills'),
    projectSkills: '.windsurf/skills',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    form: 'json',
    file: ({ home }) => join(home, '.gemini/settings.json'),
    projectFile: '.gemini/settings.json',
    servers: 'mcpServers',
    always: {},
    limits: { timeout: callMs },
    skills: ({ home }) => join(home, '.gemini/skills'),
    projectSkills: '.gemini/skills',
  },
  {
    name: 'copilot',
    title: 'Copilot CLI',
    form: 'json',
    file: (places) => join(copilot(places), 'mcp-config.json'),
    projectFile: '.github/mcp.json',
    servers: 'mcpServers',
    always: { type: 'local', tools: ['*'] },
    limits: { timeout: callMs },
    skills: (places) => join(copilot(places), 'skills'),
    projectSkills: '.github/skills',
  },
];
