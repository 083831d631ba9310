/**
 * What Strobe promises, one id per behaviour. A test names the ids it proves in its title, as
 * `[launch.exit-status]`; an id that no test names, or a name that is not here, fails.
 * docs/features.md is made from this list.
 */
interface Requirement {
  /** One true sentence about the product. */
  readonly says: string;
  /** Where the promise comes from: a chapter of the design. */
  readonly source: string;
}

export const areas = {
  setup: 'Set-up',
  host: 'Frida host',
  launch: 'Launch',
  exit: 'Exit status',
  output: 'Output',
  stdin: 'Input',
  symbols: 'Symbols',
  pattern: 'Patterns',
  trace: 'Tracing',
  values: 'Values',
  unwinding: 'Exceptions and panics',
  store: 'Store',
  query: 'Questions',
  answer: 'Answers',
  session: 'Sessions',
  daemon: 'Daemon',
  mcp: 'MCP',
  cli: 'Command line',
  settings: 'Settings',
  refusal: 'Bad input',
  security: 'Security',
  workbench: 'Workbench',
} as const;

export const requirements = {
  'setup.demo': {
    says: '`./strobe demo` does the main job on a real C++ program through the real proxy and daemon and prints every request and answer with its token count.',
    source: 'product, set-up',
  },
  'setup.stdout': {
    says: 'Set-up writes its progress to standard error only, so that `strobe mcp` may be the first command ever run.',
    source: 'product, set-up',
  },
  'setup.fresh': {
    says: 'A built clone starts without building again; a changed source makes the next start build.',
    source: 'product, set-up',
  },
  'setup.toolchain': {
    says: 'A missing compiler or Python is named before anything is tried, with the package to install.',
    source: 'product, set-up',
  },
  'host.conformance': {
    says: 'The Python transport passes the conformance suite of Frida hosts; the addon passes the same one where it installs.',
    source: 'architecture, extension points',
  },
  'host.provision': {
    says: 'Frida is installed into Strobe’s own folder, pinned by version and hash.',
    source: 'product, set-up',
  },
  'host.lost': {
    says: 'When the host of one session dies, the target runs on and the session says what was lost.',
    source: 'architecture, processes',
  },
  'launch.command': {
    says: 'A command is found on the PATH of the client or by its path and gets its arguments, working directory and environment.',
    source: 'tools, debug_launch',
  },
  'launch.script': {
    says: 'A script with a `#!` line is launched like a program.',
    source: 'tools, debug_launch',
  },
  'launch.first-call': {
    says: 'Hooks are in place before the static constructors of the executable and before `main`.',
    source: 'engine, launch',
  },
  'launch.request-id': {
    says: 'The same requestId answers the running session instead of starting a second process.',
    source: 'tools, debug_launch',
  },
  'exit.status': {
    says: 'The true exit code, or the signal that ended the target, is reported.',
    source: 'product, life cycle',
  },
  'output.complete': {
    says: 'Every byte of stdout and stderr is kept in order, also of a target that ends at once.',
    source: 'architecture, keeper',
  },
  'output.utf8': {
    says: 'A character that is split between two reads comes out whole.',
    source: 'architecture, keeper',
  },
  'output.tail': {
    says: 'Output is questioned by stream, by its last lines and by text.',
    source: 'tools, debug_query',
  },
  'stdin.open': {
    says: 'Input can be written while the target runs, and closed.',
    source: 'tools, debug_session',
  },
  'stdin.given': {
    says: 'Input given with the launch is read by the target to its end.',
    source: 'tools, debug_launch',
  },
  'stdin.not-open': {
    says: 'Input for a target that has none open is refused with the next step.',
    source: 'tools, debug_session',
  },
  'symbols.elf': {
    says: 'Functions of executables and shared libraries are found from their ELF tables.',
    source: 'symbols',
  },
  'symbols.dwarf': {
    says: 'Names, files, lines and parameters come from DWARF 4 and 5 as gcc and rustc write them.',
    source: 'symbols',
  },
  'symbols.broken': {
    says: 'A damaged binary yields what can be read and a reason for the rest, never an exception or an endless loop.',
    source: 'symbols',
  },
  'symbols.demangle': {
    says: 'C++ and Rust names are demangled; a name that cannot be is kept as it is.',
    source: 'symbols',
  },
  'pattern.wildcards': {
    says: '`*` stays within one part of a name, `**` crosses parts, and a pattern without a separator matches the unqualified name.',
    source: 'product, patterns',
  },
  'pattern.linear': {
    says: 'Matching takes time linear in the length of the name.',
    source: 'product, patterns',
  },
  'trace.running': {
    says: 'Patterns are added to and removed from a running target.',
    source: 'tools, debug_trace',
  },
  'trace.pending': {
    says: 'Staged patterns are used by the next launch in the same project, once.',
    source: 'tools, debug_trace',
  },
  'trace.verdicts': {
    says: 'Every function a pattern chose has a verdict: hooked, inlined, or refused with a reason.',
    source: 'product, answers',
  },
  'trace.parents': {
    says: 'A call knows its parent, depth, thread and duration.',
    source: 'tools, debug_query',
  },
  'trace.threads': { says: 'Threads are told apart and named.', source: 'tools, debug_query' },
  'trace.library': {
    says: 'Functions of the project’s shared libraries are traced.',
    source: 'tools, debug_trace',
  },
  'trace.later-library': {
    says: 'A pattern for a library that is loaded later is pending, then hooked.',
    source: 'tools, debug_trace',
  },
  'trace.usercode': {
    says: '`@usercode` and `@file:` choose functions by their source file.',
    source: 'product, patterns',
  },
  'trace.exact': {
    says: 'Every call is in the answer, or counted as lost with its cause.',
    source: 'architecture, loss',
  },
  'values.c': {
    says: 'C integers, booleans, enums, pointers, floats and strings appear under their parameter names.',
    source: 'symbols',
  },
  'values.cpp': {
    says: 'C++ methods, overloads, templates and scoped enums are captured alike.',
    source: 'symbols',
  },
  'values.rust': {
    says: 'Rust functions, methods and trait implementations are captured alike.',
    source: 'symbols',
  },
  'unwinding.cpp': {
    says: 'C++ exceptions pass through traced frames with the output and status of the untraced run.',
    source: 'engine, thunks',
  },
  'unwinding.rust': {
    says: 'Rust panics pass through traced frames with the output and status of the untraced run.',
    source: 'engine, thunks',
  },
  'unwinding.static-libgcc': {
    says: 'Exceptions also pass when the target carries its own unwinder.',
    source: 'engine, thunks',
  },
  'unwinding.uncaught': {
    says: 'An exception that nobody catches aborts as in the untraced run.',
    source: 'engine, thunks',
  },
  'store.blocks': {
    says: 'Calls come back from the columnar blocks exactly as they were captured.',
    source: 'store',
  },
  'store.read-only': {
    says: 'A question never changes the session file it reads.',
    source: 'store',
  },
  'query.events': {
    says: 'Each filter of calls and output is honoured, alone and together.',
    source: 'tools, debug_query',
  },
  'query.tree': {
    says: 'The tree folds repeated calls and keeps durations.',
    source: 'tools, debug_query',
  },
  'query.stats': {
    says: 'Count, total, mean and percentiles per function fit the calls.',
    source: 'tools, debug_query',
  },
  'query.cursor': {
    says: 'A cursor goes through all results once, also while the target goes on writing.',
    source: 'tools, debug_query',
  },
  'query.read-your-writes': {
    says: 'A question sees what happened before it was asked.',
    source: 'tools, common rules',
  },
  'answer.budget': {
    says: 'An answer folds before it cuts, stays within its budget and says what it left out and how to get it.',
    source: 'product, answers',
  },
  'answer.counts': {
    says: 'Each answer about events carries seen, stored and lost.',
    source: 'product, answers',
  },
  'session.wait': {
    says: 'A wait ends at the event or at its limit, and says which.',
    source: 'tools, debug_session',
  },
  'session.stop': {
    says: 'Stop ends the whole tree of the target; what was captured stays readable.',
    source: 'tools, debug_session',
  },
  'session.list': {
    says: 'Sessions of the same user are listed with their state.',
    source: 'tools, debug_session',
  },
  'daemon.single': {
    says: 'There is one daemon, even when many clients start at once.',
    source: 'product, life cycle',
  },
  'daemon.client-gone': {
    says: 'When a client goes away its sessions end, and nothing is left running.',
    source: 'product, life cycle',
  },
  'mcp.manifest': {
    says: 'The proxy answers the handshake and the list of tools from its manifest, before there is a daemon.',
    source: 'product, MCP',
  },
  'mcp.eras': {
    says: 'The official client of the 2025 protocol and that of the 2026 revision both do the main job.',
    source: 'product, MCP',
  },
  'mcp.structured': {
    says: 'Structured answers validate against the output schema of their tool.',
    source: 'product, answers',
  },
  'mcp.descriptions': {
    says: 'Tool descriptions and instructions are under 2 KB.',
    source: 'product, tools',
  },
  'mcp.progress': {
    says: 'Long work reports progress to a client that asks.',
    source: 'product, MCP',
  },
  'cli.tools': {
    says: 'Every tool is a command with the same parameters, and `--json` prints its structured answer.',
    source: 'product, command line',
  },
  'cli.run': {
    says: '`strobe run` leaves stdin, stdout, stderr and exit status of the program as they are and reports on stderr or into a file.',
    source: 'product, command line',
  },
  'cli.help': {
    says: 'Help is made from the tool contracts; a mistyped command or option names the nearest one.',
    source: 'product, command line',
  },
  'settings.layers': {
    says: 'User settings, project settings and environment are merged in this order, and unknown names are reported.',
    source: 'product, settings',
  },
  'refusal.program': {
    says: 'A missing, non-executable, static or foreign program is refused, or launched with a note, with the next step.',
    source: 'product, answers',
  },
  'refusal.directory': {
    says: 'A working directory that does not exist is refused by name.',
    source: 'tools, debug_launch',
  },
  'refusal.parameter': {
    says: 'An unknown parameter is refused with the name of the nearest one.',
    source: 'product, tools',
  },
  'refusal.session': {
    says: 'An unknown session is refused with the way to list them.',
    source: 'tools, common rules',
  },
  'refusal.pattern': {
    says: 'A pattern that matches nothing names the nearest functions.',
    source: 'tools, debug_trace',
  },
  'refusal.no-debug-information': {
    says: 'A program without debug information is answered with advice for its build system.',
    source: 'tools, debug_launch',
  },
  'refusal.nothing-left': {
    says: 'After a failed launch nothing is left running.',
    source: 'product, answers',
  },
  'security.home': {
    says: 'Strobe’s folder and files are closed to others; a folder that is open or foreign is refused.',
    source: 'product, security',
  },
  'workbench.layers': {
    says: 'Folders import only what the layer table allows, and nothing imports in a circle.',
    source: 'architecture, layers',
  },
  'workbench.requirements': {
    says: 'Every promise of this list is named by a test, and every name is on the list.',
    source: 'architecture, tests',
  },
  'workbench.documents': {
    says: 'The architecture page covers every folder, and every path it names exists.',
    source: 'architecture, contracts',
  },
} as const satisfies Record<`${keyof typeof areas}.${string}`, Requirement>;

export type RequirementId = keyof typeof requirements;
