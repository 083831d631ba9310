import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textAt } from '../../support/read.ts';
import { clientProgram, packageRoot, runProgram, type Ended } from '../../support/strobe.ts';

const program = join(packageRoot, 'strobe');
const skill = readFileSync(join(packageRoot, 'skills', 'strobe', 'SKILL.md'), 'utf8');

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'strobe-install-'));
  mkdirSync(join(home, 'project', '.git'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function install(args: readonly string[], prefix: readonly string[] = []): Promise<Ended> {
  const place = {
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    cwd: join(home, 'project'),
  };
  return await runProgram(place, [...prefix, process.execPath, clientProgram, 'install', ...args]);
}

const read = (path: string): string => readFileSync(join(home, path), 'utf8');
function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const stdio = `"type": "stdio",
      "command": "${program}",
      "args": [
        "mcp"
      ]`;
const bare = stdio.split('\n').slice(1).join('\n').trimStart();
const timeout = `,
      "timeout": 600000`;
const fresh = (servers: string, members: string): string =>
  `{\n  "${servers}": {\n    "strobe": {\n      ${members}\n    }\n  }\n}\n`;
const table = `[mcp_servers.strobe]
command = "${program}"
args = ["mcp"]
startup_timeout_sec = 60
tool_timeout_sec = 600
`;
const copilot = `"type": "local",
      "tools": [
        "*"
      ],
      ${bare}${timeout}`;

interface Row {
  readonly client: string;
  readonly file: string;
  readonly project: string | null;
  readonly servers: string;
  /** The entry's members in a new file. */
  readonly members: string;
  readonly skills: string;
  readonly projectSkills: string;
}
const row = (
  client: string,
  [file, project]: readonly [string, string | null],
  [servers, members]: readonly [string, string],
  [skills, projectSkills]: readonly [string, string],
): Row => ({ client, file, project, servers, members, skills, projectSkills });
const rows: readonly Row[] = [
  row(
    'claude-code',
    ['.claude.json', '.mcp.json'],
    ['mcpServers', `${stdio}${timeout}`],
    ['.claude/skills', '.claude/skills'],
  ),
  row(
    'vscode',
    ['.config/Code/User/mcp.json', '.vscode/mcp.json'],
    ['servers', stdio],
    ['.copilot/skills', '.github/skills'],
  ),
  row(
    'cursor',
    ['.cursor/mcp.json', '.cursor/mcp.json'],
    ['mcpServers', stdio],
    ['.cursor/skills', '.cursor/skills'],
  ),
  row(
    'windsurf',
    ['.codeium/windsurf/mcp_config.json', null],
    ['mcpServers', bare],
    ['.codeium/windsurf/skills', ''],
  ),
  row(
    'gemini',
    ['.gemini/settings.json', '.gemini/settings.json'],
    ['mcpServers', `${bare}${timeout}`],
    ['.gemini/skills', '.gemini/skills'],
  ),
  row(
    'copilot',
    ['.copilot/mcp-config.json', '.github/mcp.json'],
    ['mcpServers', copilot],
    ['.copilot/skills', '.github/skills'],
  ),
];

/** A file of the user's, with remarks, tabs or blanks and a comma too many. */
const existing = (servers: string, entry: string): string => `{
  // Mine.
  "theme": "dark",
  "${servers}": {
    /* first */
    "other": { "command": "x", "args": [] }${entry === '' ? '' : ','} // keep this
${entry}  },
  "last": [1, 2,], // odd
}
`;

describe('[cli.install] strobe install', () => {
  test.each(rows)(
    'writes, keeps and takes back the files of $client, byte by byte',
    async (one) => {
      const { client, file, servers, members } = one;
      // A new file.
      const first = await install([client]);
      expect([first.stderr, first.code]).toEqual(['', 0]);
      expect(read(file)).toBe(fresh(servers, members));
      expect(read(join(one.skills, 'strobe', 'SKILL.md'))).toBe(skill);
      expect(first.stdout.toString()).toContain(`+       "command": "${program}"`);
      // Twice.
      const inode = statSync(join(home, file)).ino;
      const second = await install([client]);
      expect(second.stdout.toString()).toContain(`${join(home, file)} is as it should be`);
      expect([read(file), statSync(join(home, file)).ino]).toEqual([
        fresh(servers, members),
        inode,
      ]);
      // Back.
      expect((await install([client, '--remove'])).code).toBe(0);
      expect(
        [file, join(one.skills, 'strobe')].map((path) => existsSync(join(home, path))),
      ).toEqual([false, false]);
      // A file that is there.
      const before = existing(servers, '');
      put(file, before);
      expect((await install([client])).code).toBe(0);
      const entry = `    "strobe": {\n      ${members}\n    }\n`;
      expect(read(file)).toBe(existing(servers, entry));
      expect((await install([client, '--remove'])).code).toBe(0);
      expect(read(file)).toBe(before);
      // A project.
      if (one.project === null) {
        const refused = await install([client, '--project']);
        expect(refused.stderr).toContain('has no settings of a project');
        return;
      }
      expect((await install([client, '--project'])).code).toBe(0);
      expect(read(join('project', one.project))).toBe(fresh(servers, members));
      expect(read(join('project', one.projectSkills, 'strobe', 'SKILL.md'))).toBe(skill);
    },
  );

  test('writes, keeps and takes back the files of codex, byte by byte', async () => {
    const file = '.codex/config.toml';
    expect((await install(['codex'])).code).toBe(0);
    expect(read(file)).toBe(table);
    expect(read('.agents/skills/strobe/SKILL.md')).toBe(skill);
    expect((await install(['codex'])).stdout.toString()).toContain('is as it should be');
    expect((await install(['codex', '--remove'])).code).toBe(0);
    expect(existsSync(join(home, file))).toBe(false);

    const before = `# mine\nmodel = "o5" # best\n\n[mcp_servers.other]\ncommand = 'x'\n\n# the end\n`;
    put(file, before);
    expect((await install(['codex'])).code).toBe(0);
    expect(read(file)).toBe(`${before}\n${table}`);
    expect((await install(['codex', '--remove'])).code).toBe(0);
    expect(read(file)).toBe(before);

    // An entry of an older place: the program changes, what the user set stays.
    const old = `[mcp_servers.strobe]\ncommand = "/old/strobe" # moved\nargs = ["mcp"]\ntool_timeout_sec = 5\n\n[mcp_servers.strobe.env]\nA = "1"\n\n[tui]\ntheme = "x"\n`;
    put(file, old);
    expect((await install(['codex'])).code).toBe(0);
    expect(read(file)).toBe(
      `[mcp_servers.strobe]\ncommand = "${program}"\nargs = ["mcp"]\ntool_timeout_sec = 5\nstartup_timeout_sec = 60\n\n[mcp_servers.strobe.env]\nA = "1"\n\n[tui]\ntheme = "x"\n`,
    );
    expect((await install(['codex', '--remove'])).code).toBe(0);
    expect(read(file)).toBe(`\n[tui]\ntheme = "x"\n`);
    expect((await install(['codex', '--project'])).code).toBe(0);
    expect(read('project/.codex/config.toml')).toBe(table);
  });

  test('leaves a file that it cannot read, or change alone, as it is, and names the line', async () => {
    const cases: readonly (readonly [string, string, string, RegExp])[] = [
      [
        'cursor',
        '.cursor/mcp.json',
        '{\n  "mcpServers": {\n    "a" 1\n  }\n}\n',
        /line 3 cannot be read/,
      ],
      ['cursor', '.cursor/mcp.json', '[]\n', /it holds no object/],
      ['gemini', '.gemini/settings.json', '{"mcpServers": 5}\n', /its "mcpServers" is no object/],
      ['codex', '.codex/config.toml', 'a = 1\nb = \n', /line 2 cannot be read/],
      [
        'codex',
        '.codex/config.toml',
        'mcp_servers = { strobe = { command = "y" } }\n',
        /cannot be read|be changed alone/,
      ],
    ];
    for (const [client, file, text, why] of cases) {
      put(file, text);
      const refused = await install([client]);
      expect([client, refused.code, read(file)]).toEqual([client, 5, text]);
      expect(refused.stderr).toMatch(why);
      expect(refused.stderr).toContain(`strobe install ${client} --print`);
    }
  });

  test('without a client serves those that are there, and says so when none is', async () => {
    const none = await install([]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^BAD_PARAMETER: No client was found here\.\nNext: Name one: strobe install claude-code\|/,
      ),
    ]);
    mkdirSync(join(home, '.cursor'));
    mkdirSync(join(home, '.codex'));
    expect((await install([])).code).toBe(0);
    expect(
      ['.cursor/mcp.json', '.codex/config.toml', '.claude.json', '.gemini'].map((path) =>
        existsSync(join(home, path)),
      ),
    ).toEqual([true, true, false, false]);
  });

  test('changes nothing with --print, follows a link, and keeps the mode and a changed skill', async () => {
    put('.cursor/mcp.json', '{}\n');
    const printed = await install(['cursor', '--print']);
    expect([printed.stdout.toString(), read('.cursor/mcp.json')]).toEqual([
      fresh('mcpServers', stdio),
      '{}\n',
    ]);

    put('dotfiles/claude.json', '{}\n');
    chmodSync(join(home, 'dotfiles/claude.json'), 0o600);
    symlinkSync(join(home, 'dotfiles/claude.json'), join(home, '.claude.json'));
    expect((await install(['claude-code'])).code).toBe(0);
    expect(read('dotfiles/claude.json')).toContain(program);
    expect(statSync(join(home, 'dotfiles/claude.json')).mode & 0o777).toBe(0o600);

    put('.claude/skills/strobe/SKILL.md', 'My own.\n');
    expect((await install(['claude-code', '--remove'])).code).toBe(0);
    expect(read('.claude/skills/strobe/SKILL.md')).toBe('My own.\n');
  });

  test('says that a home is read-only and how to go on by hand', async () => {
    put('.cursor/mcp.json', '{}\n');
    const mount = 'mount --bind "$HOME" "$HOME" && mount -o remount,bind,ro "$HOME" && exec "$@"';
    const refused = await install(['cursor'], ['unshare', '-m', 'sh', '-c', mount, 'sh']);
    expect([refused.code, read('.cursor/mcp.json')]).toEqual([5, '{}\n']);
    expect(refused.stderr).toMatch(
      /HOME_READ_ONLY: .*mcp\.json cannot be written: EROFS[^]*strobe install --print/,
    );
  });
});

test('[cli.plugins] the manifests that clients install from name this version, its command and its skill', () => {
  const json = (path: string): unknown => JSON.parse(readFileSync(join(packageRoot, path), 'utf8'));
  const [version, mcpName, name] = ['version', 'mcpName', 'name'].map((key) =>
    textAt(json('package.json'), key),
  );
  const server = json('server.json');
  expect(server).toMatchObject({
    name: mcpName,
    version,
    packages: [{ registryType: 'npm', identifier: name, version, transport: { type: 'stdio' } }],
  });
  expect(json('.claude-plugin/marketplace.json')).toMatchObject({
    plugins: [{ name, source: './' }],
  });
  for (const [path, root] of [
    ['.claude-plugin/plugin.json', '${CLAUDE_PLUGIN_ROOT}/'],
    ['.cursor-plugin/plugin.json', '${CURSOR_PLUGIN_ROOT}/'],
    ['gemini-extension.json', '${extensionPath}${/}'],
  ] as const) {
    expect(json(path)).toMatchObject({
      name,
      version,
      mcpServers: { strobe: { command: `${root}strobe`, args: ['mcp'] } },
    });
  }
  expect(statSync(program).mode & 0o111).not.toBe(0);
  expect(skill).toMatch(/^---\nname: strobe\ndescription: .{100,1024}\n---\n/);
});
