// oxlint-disable max-lines -- one list of all promises
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
  attach: 'Attaching',
  children: 'Children',
  exit: 'Exit status',
  output: 'Output',
  stdin: 'Input',
  symbols: 'Symbols',
  pattern: 'Patterns',
  trace: 'Tracing',
  watch: 'Watches',
  values: 'Values',
  unwinding: 'Exceptions and panics',
  crash: 'Crashes',
  exceptions: 'Exceptions as events',
  store: 'Store',
  query: 'Questions',
  export: 'Exports',
  test: 'Test runs',
  session: 'Sessions',
  retention: 'Retention',
  stop: 'Stopping',
  owner: 'Owners',
  daemon: 'Daemon',
  mcp: 'MCP',
  cli: 'Command line',
  settings: 'Settings',
  bad: 'Bad input',
  security: 'Security',
  scarcity: 'When something runs out',
  hang: 'When something hangs',
  hot: 'Functions that are called very often',
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
    says: 'The process that speaks Frida passes the conformance suite of hosts.',
    source: 'architecture, extension points',
  },
  'host.provision': {
    says: 'Frida is installed into Strobe’s own folder, pinned by version and hash.',
    source: 'product, set-up',
  },
  'host.starved': {
    says: 'A program that gets too little processor time while Frida comes is waited for, or not entered and told why; it computes and ends as it would alone.',
    source: 'runtimes, launching',
  },
  'host.lost': {
    says: 'When the host of one session dies, the target runs on, another host sets the hooks again, and the session says what may be missing; after the third time it says that tracing has ended.',
    source: 'architecture, processes',
  },
  'session.supervisor-killed': {
    says: 'When the supervisor of a session is killed, its guard goes on: the program notices nothing, output, input and exit status stay complete and true, also after detach or without a daemon, and the session says so.',
    source: 'architecture, processes',
  },
  'session.supervisor-lost': {
    says: 'When supervisor and guard of a session are killed, the session ends and says so, what it had stored stays readable, and its program ends unless its launch says otherwise; then it can still be stopped.',
    source: 'architecture, processes',
  },
  'launch.env': {
    says: 'A command is found by its path or on the PATH of the client, also as a script with a `#!` line, and gets its arguments, working directory and environment.',
    source: 'tools, debug_launch',
  },
  'launch.request-id': {
    says: 'The same requestId answers the running session instead of starting a second process.',
    source: 'tools, debug_launch',
  },
  'launch.plain': {
    says: 'A program launched without patterns is only watched.',
    source: 'tools, debug_launch',
  },
  'launch.tty': {
    says: 'With `tty` a program has a pseudo-terminal of its own: size, colours, job control, and a keyboard with Ctrl-C and the end of input.',
    source: 'tools, debug_launch',
  },
  'launch.died': {
    says: 'A program that dies before its hooks are in place is told as dead, not as one that runs untraced.',
    source: 'product, answers',
  },
  'launch.static': {
    says: 'A static program is refused for tracing with the reason and what works; its output, status and children are complete.',
    source: 'runtimes, launching',
  },
  'attach.output': {
    says: 'What an attached process writes to its standard output and error is copied from then on, and still goes where it went; what cannot be kept is counted.',
    source: 'tools, debug_launch',
  },
  'attach.undisturbed': {
    says: 'A busy process with many threads answers every request while it is attached to, traced and let go, and no call of it is cut short.',
    source: 'tools, debug_launch',
  },
  'children.system': {
    says: 'Launching a shell, make or an interpreter says that patterns mean the programs it executes, instead of names and advice for that program itself.',
    source: 'runtimes, children',
  },
  'children.privilege': {
    says: 'A setuid program that a followed tree executes runs without its privilege for an unprivileged user; that is told, with the way out.',
    source: 'runtimes, children',
  },
  'attach.children': {
    says: 'What an attached process starts is not followed, which is said; status lists what runs, and each can be attached to by its pid.',
    source: 'tools, debug_launch',
  },
  'attach.forked': {
    says: 'Children that an attached process makes by fork alone are traced by its hooks; status tells what they became by exec and that they ended.',
    source: 'tools, debug_session status',
  },
  'attach.exit': {
    says: 'The end of an attached process is told at once, with its status where it can be known, and as unknown where not.',
    source: 'tools, debug_launch',
  },
  'attach.exec': {
    says: 'An attached process that replaces its program by exec is observed on; the gap is told.',
    source: 'product, answers',
  },
  'attach.second': {
    says: 'Who attaches to a process that is observed already is told by which session, and how to go on.',
    source: 'product, life cycle',
  },
  'attach.owner': {
    says: 'When its client or daemon goes, an attached process is let go and runs on as it was.',
    source: 'product, life cycle',
  },
  'attach.own-threads': {
    says: 'What Strobe does inside a process is not recorded as a call of the process.',
    source: 'product, answers',
  },
  'attach.list': {
    says: 'A session of an attached process shows its command line; staged patterns are applied to it.',
    source: 'tools, debug_trace',
  },
  'attach.refused': {
    says: 'A process that cannot be attached to is refused before anything touches it, with the reason and the next step.',
    source: 'product, answers',
  },
  'attach.contract': {
    says: 'Launch and attach are different requests: a parameter of one is refused in the other by name.',
    source: 'tools, debug_launch',
  },
  'attach.detach': {
    says: 'A process that is let go has its code back byte for byte, runs on, and can be attached to again and again without growing.',
    source: 'product, life cycle',
  },
  'launch.shapes': {
    says: 'A traced program keeps output and status when it closes or moves its descriptors, daemonises, renames itself, gives up privileges, limits its resources, enters a sandbox, ends with its last thread, or is a chain of scripts.',
    source: 'product, principles',
  },
  'exit.status': {
    says: 'The true exit code, or the signal that ended the target, is reported.',
    source: 'product, life cycle',
  },
  'output.long': {
    says: 'Of a line too long to be shown, the part that was searched for is shown; a larger budget shows more of few lines.',
    source: 'tools, debug_query output',
  },
  'output.complete': {
    says: 'Every byte of stdout and stderr is kept in order, also of a target that ends at once.',
    source: 'architecture, supervisor',
  },
  'output.bulk': {
    says: '100 MB of output are kept whole without the daemon growing by them; beyond the limit the oldest goes and is counted.',
    source: 'product, life cycle',
  },
  'output.bytes': {
    says: 'Output that is not text is kept byte for byte.',
    source: 'architecture, supervisor',
  },
  'output.utf8': {
    says: 'A character that is split between two reads comes out whole.',
    source: 'architecture, supervisor',
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
  'symbols.separate': {
    says: 'Debug information that was stripped into a file of its own is found by build id or .gnu_debuglink, in the folders where gdb looks, and never taken from another build.',
    source: 'symbols',
  },
  'symbols.split': {
    says: 'Debug information in .dwo files, a .dwp package, type units or a file that programs share (dwz) is read as if it were in the program; where it is missing the next step is told.',
    source: 'symbols',
  },
  'symbols.nameless': {
    says: 'Functions of stripped programs are found by their call frames and named by their address; folded functions and those that are chosen at load (IFUNC) are told; functions of Go are not hooked, which is told.',
    source: 'symbols',
  },
  'symbols.inlined': {
    says: 'At each instruction the functions inlined there are known, with the line where each was called.',
    source: 'issue, symbols',
  },
  'symbols.lazy': {
    says: 'What code lies at an address is answered from the unit that holds it; the entries of others are not read.',
    source: 'issue, symbols',
  },
  'symbols.statics': {
    says: 'Static functions of one name in several files of C are found and hooked each; lines, figures and diffs tell them apart by file, and a pattern @file: takes one of them.',
    source: 'issue, symbols',
  },
  'symbols.dwarf': {
    says: 'Names, files, lines and parameters come from DWARF 4 and 5 as gcc and rustc write them.',
    source: 'symbols',
  },
  'symbols.first': {
    says: 'While a large file is indexed, what the symbol table alone shows of a pattern is told, marked as such; nothing is armed by it.',
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
    says: '`*` stays within one part of a name, `**` crosses parts, `?` is one character, and a pattern without a separator matches the unqualified name.',
    source: 'product, patterns',
  },
  'pattern.advice': {
    says: 'A pattern with a bracket that has no partner is refused; one that matches nothing and looks like a regular expression, a path or several names is answered with how to write it, one for files with the files there are.',
    source: 'tools, debug_trace',
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
    says: 'Staged patterns are used by the next launch, in place before the static constructors of the executable and before `main`.',
    source: 'tools, debug_trace',
  },
  'trace.verdicts': {
    says: 'Every function a pattern chose has a verdict: hooked, inlined, or refused with a reason.',
    source: 'product, answers',
  },
  'trace.unchanged': {
    says: 'A traced program does what it does untraced, also when it replaces itself by exec or its debug information leaves its parameters out.',
    source: 'product, principles',
  },
  'trace.hazards': {
    says: 'Programs with jumps between stacks, dying threads, signal storms, coroutines, hand-written assembly and sanitizers say and return traced what they do untraced.',
    source: 'engine, hazards',
  },
  'trace.jumps': {
    says: 'Calls that longjmp leaves (glibc, x86-64) end at the jump, with their time, and what is called behind it hangs below its own caller: out of nested calls, out of signal handlers on any stack, and between coroutines.',
    source: 'engine, hazards',
  },
  'trace.arm64': {
    says: 'Programs for arm64: the hook engine leaves them as they are and captures arguments and results of any signature as AAPCS64 passes them; this ran under an emulator only, and never under Frida.',
    source: 'engine, hazards',
  },
  'trace.fork': {
    says: 'A process made by fork alone is traced by the hooks it was forked with, under its own pid; calls it inherited stay its parent’s.',
    source: 'engine, hazards',
  },
  'trace.forked-locks': {
    says: 'A forked child never waits for what another thread held when it was forked, unless it would untraced.',
    source: 'engine, hazards; attach',
  },
  'trace.parents': {
    says: 'A call knows its parent, depth, thread and duration.',
    source: 'tools, debug_query',
  },
  'trace.short-threads': {
    says: 'Ten thousand short threads, one after the other or a hundred at a time: each has its calls, counts are those of the program, and no ring is left behind.',
    source: 'issue, capture',
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
  'trace.nothing': {
    says: 'A pattern that matches nothing names the nearest functions.',
    source: 'tools, debug_trace',
  },
  'hot.exact': {
    says: 'Of a function that is called very often a share of the calls is recorded; its counts and times stay exact.',
    source: 'engine, hot functions',
  },
  'hot.told': {
    says: 'The answer names the functions that are sampled, why, and how to have every call.',
    source: 'engine, hot functions',
  },
  'hot.quiet': {
    says: 'A function that is not called often keeps every call while others are sampled.',
    source: 'engine, hot functions',
  },
  'hot.pairs': {
    says: 'Calls are sampled whole: no recorded call lacks its end.',
    source: 'engine, hot functions',
  },
  'hot.overridden': {
    says: 'A pattern says which share of the calls is recorded, or that all are.',
    source: 'tools, debug_trace',
  },
  'hot.room': {
    says: 'However many functions are called often at once, calls for which there is no room are counted and timed, and none is lost.',
    source: 'store.md',
  },
  'hot.running': {
    says: 'The share is changed while the program runs.',
    source: 'tools, debug_trace',
  },
  'trace.when': {
    says: 'A condition on arguments and fields is decided in the target before a call is recorded; the others are counted.',
    source: 'tools, debug_trace',
  },
  'watch.kinds': {
    says: 'Globals, statics, thread-locals of the program, members by path, arguments, texts and typed addresses are sampled in the engine at entry and return of traced functions, each with its type.',
    source: 'product; tools, debug_trace',
  },
  'watch.whole': {
    says: 'Structures, arrays and containers are watched whole, with what they lead to: each change of what they hold is one, a copy with the same content elsewhere is none; what holds a secret is refused.',
    source: 'issue 7',
  },
  'watch.go': {
    says: 'Globals of Go in a program that also holds C are watched by their names (`main.total`): numbers, strings, slices, maps, channels, structures, pointers, times, functions, what interfaces hold with its type, elements of arrays and slices and len(), as the program prints them; what of a value is not known is left out, and what has none is refused with the reason.',
    source: 'issue 7',
  },
  'watch.torn': {
    says: 'What holds a type and a value beside it is looked at again when all it leads to was copied: where another thread wrote it meanwhile it is told as torn, and shown as of no type. So are maps and channels of Go.',
    source: 'product; issue 7',
  },
  'watch.changes': {
    says: 'Each change of a watched value is told with the two samples it lies between, old and new value, and the calls of any thread in which it can have happened, the most likely first.',
    source: 'product; tools, debug_query',
  },
  'watch.safe': {
    says: 'Null and wild pointers on the way to a watched value are told as unreadable, and the program goes on.',
    source: 'tools, debug_trace; predecessor',
  },
  'watch.refused': {
    says: 'A watch that cannot be is refused with the reason; a name nothing has is told with near ones and waits for a library.',
    source: 'tools, debug_trace; predecessor',
  },
  'watch.limit': {
    says: 'A session has at most 32 watches; one more is an error that says how to make room.',
    source: 'tools, debug_trace',
  },
  'watch.events': {
    says: 'What was watched stands with the call it was sampled at, as an event of its own (variable_snapshot), and in SQL (watch_values).',
    source: 'tools, debug_query',
  },
  'watch.filters': {
    says: 'Calls and snapshots can be filtered by what watches saw; snapshots by their own text and time, and by all else that is true of their call.',
    source: 'tools, debug_query',
  },
  'watch.exported': {
    says: 'SQL and the exports jsonl, csv, chrome, perfetto (a counter per watch) and otlp hold watched values; the other formats say that they leave them out.',
    source: 'tools, debug_query',
  },
  'watch.carried': {
    says: 'Watches can be added and removed while a program runs, come along at a restart, and are sampled in every process of the tree.',
    source: 'tools, debug_trace; predecessor',
  },
  'watch.writes': {
    says: 'A watch at "write" tells each write by any thread of the process, also a later one, with the writing function, its line, the call, old and new value, and stops nothing.',
    source: 'tools, debug_trace',
  },
  'watch.registers': {
    says: 'Four places can be watched for writes; one more is refused and told what to do, and a removed one makes room at once.',
    source: 'tools, debug_trace',
  },
  'watch.fast': {
    says: 'Writes that come faster than they are read are counted; a value that is not known is told so.',
    source: 'tools, debug_trace',
  },
  'watch.unharmed': {
    says: 'A program that handles or blocks SIGTRAP, or forks, does with watched writes what it does without.',
    source: 'product',
  },
  'watch.values': {
    says: 'What a write left follows from its instruction, whatever store it is; what only a vector or the stack knew is told as not known unless the memory tells it.',
    source: 'product',
  },
  'watch.writes-refused': {
    says: 'What no debug register can watch (thread-locals by name, unaligned places, expressions) is refused with the reason.',
    source: 'tools, debug_trace',
  },
  'watch.tests': {
    says: 'A test run samples watches at its traced calls; without patterns, at those the watches name, else at the project’s own.',
    source: 'tools, debug_test',
  },
  'trace.first': {
    says: 'Only the first calls of a function are recorded when so asked; the others are counted.',
    source: 'tools, debug_trace',
  },
  'trace.min-duration': {
    says: 'Only calls that take long enough are recorded when so asked, and what called recorded ones; the others are counted and timed.',
    source: 'tools, debug_trace',
  },
  'trace.max-depth': {
    says: 'Only so many levels of nested calls are recorded when so asked; the others are counted.',
    source: 'tools, debug_trace',
  },
  'trace.triggers': {
    says: 'Calls start and stop the recording where a pattern says so, decided in the target.',
    source: 'tools, debug_trace',
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
  'values.optimised': {
    says: 'Arguments an optimising compiler moved are read where they are, and those it removed are told as removed, not shown as what lies in their register.',
    source: 'symbols; DWARF 5 §2.6.2',
  },
  'values.objects': {
    says: 'The objects that parameters, this and self point to are shown with their fields, inherited ones, structures inside, text and lists; null and wild pointers, cycles and secrets as such; filters reach inside.',
    source: 'tools.md; serialisation',
  },
  'values.containers': {
    says: 'Text and lists of scalars in std::string, string_view, vector, span, &str, String, slices and Vec are shown with their contents, as parameters and as results.',
    source: 'tools.md; serialisation',
  },
  'values.binary': {
    says: 'Bytes that are no text, in strings and in lists of bytes, are one short summary with their number and their beginning; text stays text; verbose answers have the bytes as base64, and filters and SQL find what they found.',
    source: 'tools.md: binary values base64 with a summary',
  },
  'values.flexible': {
    says: 'A structure that ends in an array whose length only the program knows is shown with its other fields, and nothing behind it is read as elements; nor is it of an array whose length is computed.',
    source: 'C17 §6.7.2.1, §6.7.6.2; DWARF 5 §5.13',
  },
  'values.depth': {
    says: 'Three pointers are followed where nobody says how many, those behind the first as far as their room goes; serializationDepth is the depth of patterns without one of their own; a depth that changes while the program runs holds from the next call on.',
    source: 'tools.md debug_trace',
  },
  'values.bounds': {
    says: 'Up to ten pointers are followed where that is asked for, and what lies behind the last is an address; of what is larger than an event as much is shown as has room, the number of the others and the reason are told, and what is shown is right.',
    source: 'issue 7; tools.md debug_trace',
  },
  'values.torn': {
    says: 'A container whose parts do not fit together, because it is being changed or is broken, is told as torn with what was found, in C++ (both libraries) and Rust; one that is told as whole is one that there was, whatever other threads do.',
    source: 'issue 7; values',
  },
  'values.far': {
    says: 'What lies behind more than one pointer is captured without being asked for as far as its room goes: what is shown of it is the beginning of what is there; an answer says what is missing and how to have it, and filters mean only what is captured whole.',
    source: 'tools.md; serialisation',
  },
  'values.dynamic': {
    says: 'An object of a derived class is told with its class, and with the fields of that, where a parameter, this, an owner or a result is of a base, as deep as was asked for; a wild vtable leads nowhere; fields of virtual bases are read where they lie.',
    source: 'tools.md; Itanium C++ ABI §2.5',
  },
  'values.whole': {
    says: 'Values of any type are shown as the program prints them, as parameters and results, by gcc, clang and rustc, at -O0 and -O2 and in DWARF 4 and 5: structures by value, unions, bit-fields, flags, C++ and Rust containers, owners, optional and enumerations with values.',
    source: 'tools.md; symbols; System V psABI §3.2.3',
  },
  'trace.expressions': {
    says: 'An expression has one meaning in conditions, triggers, watches and filters of what is stored: numbers are compared and computed as they are, whatever their types; what has no value (divided by zero, beyond 64 bits, behind a null pointer) is told as such and meets a condition; what cannot be decided is refused with the reason.',
    source: 'tools.md: one expression language',
  },
  'values.gdb': {
    says: "What is recorded of live calls is what gdb shows of the arguments of the same calls: gcc -O0 and -O2, clang with LLVM's C++ library, rustc, DWARF 4 and 5.",
    source: 'symbols',
  },
  'values.functions': {
    says: 'Function pointers, pointers to members, what a std::function calls and the type a std::any holds are shown by name, of a trait object a method that names its type; a lambda with its captures, adaptors and spans of fixed length as lists, 128-bit numbers of Rust by value.',
    source: 'tools.md; symbols',
  },
  'values.functors': {
    says: 'What a std::function holds (a lambda with its captures, another object, a function) is shown where it lies in the function object and where it lies on the heap, of both C++ libraries; what another file stored, or what is called by code that the linker made one of two, is told by its type alone.',
    source: 'issue 7; tools.md',
  },
  'values.closures': {
    says: 'Of a Rust closure the parameters and what it captured are shown by name and value as the program prints them; where LLVM may have changed how it is called and does not say where they lie, they are told as not known.',
    source: 'tools.md; symbols',
  },
  'values.futures': {
    says: 'A call that goes on with a future of Rust (`async` functions and blocks) shows it as it was then: the line of the `.await` where it waited, its parameters and variables, and the future it waited for.',
    source: 'tools.md; symbols',
  },
  'values.traits': {
    says: 'What a trait object of Rust leads to is shown by its concrete type, with its name: behind &dyn, Box, Rc and Arc, as deep as was asked for; a wild vtable leads nowhere.',
    source: 'tools.md; symbols',
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
  'crash.capture': {
    says: 'A program that dies by SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP or SIGABRT, also by a stack overflow and in any thread, dies by the same signal as untraced, and registers, stacks, memory map and what pointers lead to are kept.',
    source: 'runtimes §3',
  },
  'crash.handled': {
    says: 'A program that handles such signals itself, or jumps out of the handler, goes on as untraced.',
    source: 'runtimes §3',
  },
  'crash.stuck': {
    says: 'debug_session status of a running program tells what each of its threads does or waits for (mutex and holder, condition, file, sleep, child), with stacks and processor time, and a deadlock as its circle; no thread is stopped for it and nothing need be traced.',
    source: 'product §1',
  },
  'crash.spinning': {
    says: 'Of a thread that runs, status tells the functions its samples lie in, with its stack; it is not stopped for that.',
    source: 'product §1',
  },
  'crash.unwind': {
    says: 'Stacks are walked by unwind information: the frames, inlined calls included, with the lines and integers that gdb shows of the same core.',
    source: 'runtimes §3',
  },
  'crash.values': {
    says: 'Parameters and locals of a core file hold what gdb shows of the same core, for numbers, characters, enumerations, pointers, text, structures with bit-fields and unions, arrays and vectors, of gcc and clang, at -O0 and -O2; where they hold nothing they say why.',
    source: 'runtimes §3, §7',
  },
  'crash.core': {
    says: 'debug_launch with a core file explains the crash of a program that never ran under Strobe, as a crash that it watched.',
    source: 'product §1',
  },
  'crash.arm64': {
    says: 'Of a program for arm64 that died the stack, its variables and registers are told, also through signal handlers and signed return addresses; this ran under an emulator only.',
    source: 'engine, symbols',
  },
  'crash.untraced': {
    says: 'A program of the project that is launched without patterns is entered all the same: its crash is explained and its exceptions are events.',
    source: 'product §1',
  },
  'crash.children': {
    says: 'A process of the tree that crashed is told at once, also while others run, with its stack where something of it is traced, its program crashed before in the session, or it leaves a core file; crashes of one kind are told once, with their number.',
    source: 'runtimes §3',
  },
  'crash.state': {
    says: 'The answer about a crash holds the registers of the thread that died, with what they have to do with the fault; where the fault address, the program counter and the stack pointer lie in the memory map; and the open files, without those of the instrumentation, the further ones counted.',
    source: 'runtimes §3',
  },
  'crash.kept': {
    says: 'A crash that was explained is told the same when target and daemon have ended, and program and source were replaced or removed, also in a copy of the home folder elsewhere.',
    source: 'product §1',
  },
  'crash.story': {
    says: 'debug_query view=crash tells in at most 1,500 tokens which line of a crashed program was at fault, with which values, and the calls that led there; every answer about the session mentions the crash.',
    source: 'product §1, runtimes §3',
  },
  'exceptions.cpp': {
    says: 'While a program is traced each C++ exception is an event: type, message, where it was thrown, which functions of the program it left, and where it was caught, thrown again, or that nobody caught it.',
    source: 'runtimes §3, tools',
  },
  'exceptions.rust': {
    says: 'The same of each Rust panic: message, place, and whether it was caught, ended its thread or the program.',
    source: 'runtimes §3, tools',
  },
  'exceptions.flood': {
    says: 'Of exceptions that are raised faster than they can be recorded some are recorded and all are counted; the program computes what it does untraced.',
    source: 'runtimes §3',
  },
  'store.read-at-end': {
    says: 'All that rings hold when a program ends is read before they are removed, however long that takes; what could not be read is told.',
    source: 'store.md',
  },
  'store.blocks': {
    says: 'Calls come back from the columnar blocks exactly as they were captured.',
    source: 'store',
  },
  'store.damaged': {
    says: 'A damaged file of a session is told as such, with the next step, at each question that needs what is damaged.',
    source: 'architecture, decisions',
  },
  'store.read-only': {
    says: 'A question never changes the session file it reads.',
    source: 'store',
  },
  'query.filter': {
    says: 'Each filter of calls and output is honoured, alone and together.',
    source: 'tools, debug_query',
  },
  'query.tree': {
    says: 'The tree folds repeated calls and keeps durations.',
    source: 'tools, debug_query',
  },
  'query.self-time': {
    says: 'The tree tells self time beside total where it is asked for.',
    source: 'tools, debug_query',
  },
  'query.stats': {
    says: 'Count, total, self, mean, p50, p95, p99 and max per function, thread or caller fit the calls.',
    source: 'tools, debug_query',
  },
  'query.cursor': {
    says: 'A cursor goes through all results once, also while the target goes on writing.',
    source: 'tools, debug_query',
  },
  'query.steps': {
    says: 'The calls an answer names next can be made in the state the session is in.',
    source: 'tools, common rules',
  },
  'query.order': {
    says: 'Calls and output share one timeline.',
    source: 'tools, debug_query',
  },
  'query.sql': {
    says: 'SELECT statements are answered over calls, output, threads and functions, in a process that is stopped at its limit; what writes is refused, what is wrong is answered with the schema.',
    source: 'tools.md, debug_query',
  },
  'store.growing': {
    says: 'While the index is behind, the rings of busy threads grow, bounded by settings and by what memory is there; all they hold is indexed in order, also by the next reader after a kill, and the memory is given back.',
    source: 'store.md, Design',
  },
  'store.threads': {
    says: 'However many threads a session has had, storing goes by those that run; one that goes on after it had ended is as one that never did.',
    source: 'store.md, Design',
  },
  'query.sql-tables': {
    says: 'The tables calls and events read only the blocks, functions and columns that a statement needs; conditions, groups and orders answer what they would over a plain table of the calls.',
    source: 'store.md, Design',
  },
  'query.sql-values': {
    says: 'SQL that names an argument or a result reads it as it lies in the store, and answers what it would over the JSON of each call.',
    source: 'store.md, Design',
  },
  'query.sql-guide': {
    says: 'The tables and columns that SQL sees, with examples that run, are an MCP resource.',
    source: 'tools.md, debug_query',
  },
  'query.diff': {
    says: 'Two sessions, or two time ranges of one, are compared: per thread where the order of calls first differs and the first different values, and the functions that differ in calls, exceptions or time.',
    source: 'tools.md, debug_query',
  },
  'query.read-your-writes': {
    says: 'A question sees what happened before it was asked.',
    source: 'tools, common rules',
  },
  'query.beside': {
    says: 'Whatever is asked while calls come, at once and again, they are stored meanwhile, and none is lost.',
    source: 'issue, questions',
  },
  'query.beside-fast': {
    says: 'SQL over all calls and trees, asked without pause, cost none of a million calls a second.',
    source: 'issue, questions',
  },
  'query.budget': {
    says: 'An answer folds before it cuts, stays within its budget and says what it left out and how to get it.',
    source: 'product, answers',
  },
  'query.counters': {
    says: 'Each answer about events carries seen, stored and lost.',
    source: 'product, answers',
  },
  'export.formats': {
    says: 'A session is exported as Chrome trace, Perfetto trace, speedscope profile, folded stacks, flame graph, JSON Lines, CSV and OpenTelemetry spans, each read by readers that others wrote.',
    source: 'tools.md, debug_query',
  },
  'export.filters': {
    says: 'An export holds exactly the calls that the filters take.',
    source: 'tools.md, debug_query',
  },
  'export.callers': {
    says: 'A call is exported below its nearest caller that is exported, too.',
    source: 'tools.md, debug_query',
  },
  'export.live': {
    says: 'An export of a session that is being written has everything up to the request once, in order, and counts what the session drops meanwhile.',
    source: 'tools.md, debug_query',
  },
  'export.told': {
    says: 'What an export left out and which filters it had is told in the file, where the format has room, and in the answer.',
    source: 'product §2',
  },
  'export.path': {
    says: "A file is written whole or not at all, inside the project or Strobe's own folder, and replaces nothing but an earlier export.",
    source: 'tools.md, debug_query',
  },
  'export.long': {
    says: 'A long export goes on while nobody waits; the same request waits for it, cancelling ends it and leaves nothing.',
    source: 'tools.md, common rules',
  },
  'export.collector': {
    says: 'Spans are sent to an OTLP collector on this machine, and to no other.',
    source: 'product §7',
  },
  'export.command': {
    says: '`strobe export` writes a file where the command was typed.',
    source: 'product §5',
  },
  'session.default': {
    says: 'Without sessionId the session used last is asked, whether it runs or not; stop, input, detach and trace mean one that runs.',
    source: 'tools, common rules',
  },
  'session.wait-output': {
    says: 'A wait sees what is added to an unfinished line, shows the last lines with how many there were, and of an ended program its last words.',
    source: 'tools, debug_session',
  },
  'session.wait-input': {
    says: 'A wait without a cursor begins at the last input, so that its reaction is neither missed nor taken for an earlier one.',
    source: 'tools, debug_session',
  },
  'session.wait': {
    says: 'A wait ends at the event or at its limit, and says which.',
    source: 'tools, debug_session',
  },
  'session.pack': {
    says: 'A session, also one that still runs, is packed to one file; opened in another home it answers everything as at home, and what is no pack of ours is refused.',
    source: 'product §5',
  },
  'session.restart': {
    says: 'A session is started anew with the same command, environment, input and the patterns it has by then; both sessions name each other.',
    source: 'tools, debug_session',
  },
  'session.detach': {
    says: 'A detached target loses its hooks and lives on; its output is no longer kept and never holds it up.',
    source: 'tools, debug_session',
  },
  'session.delete': {
    says: 'An ended session is deleted with its files; one whose target still runs is not.',
    source: 'tools, debug_session',
  },
  'session.retain': {
    says: 'What a session captured is kept for longer when asked, and the answer says until when.',
    source: 'tools, debug_session',
  },
  'retention.ended': {
    says: 'A session is removed with its files when its time is over: 24 hours after its end, or 7 days when it is retained; one that runs never is.',
    source: 'tools, debug_session; product, tools',
  },
  'retention.room': {
    says: 'When all sessions together take more room than allowed, those that ended first go first.',
    source: 'product, tools',
  },
  'retention.events': {
    says: 'Beyond the most events of a session the oldest go, and the counters say how many.',
    source: 'product, tools',
  },
  'retention.place': {
    says: 'Only folders of sessions are ever removed, and what a crash left in their place goes at the next start.',
    source: 'product, security',
  },
  'session.many': {
    says: 'Twenty sessions run at once, each with its own capture and its own end.',
    source: 'product, life cycle',
  },
  'session.quiet': {
    says: 'A session in which nothing happens costs next to nothing: the first record after a silence wakes who reads it.',
    source: 'architecture, engine',
  },
  'stop.tree': {
    says: 'Stop ends the whole tree of the target, also what ignores SIGTERM; what was captured stays readable.',
    source: 'tools, debug_session',
  },
  'stop.left': {
    says: 'Processes that a program leaves behind are told in every answer, go on being traced, and are ended by stop, which says so.',
    source: 'tools, debug_session',
  },
  'stop.neighbour': {
    says: 'Stopping one session leaves the others alone.',
    source: 'product, life cycle',
  },
  'owner.two': {
    says: 'Clients of the same user see each other’s sessions and change only their own.',
    source: 'tools, common rules',
  },
  'owner.harm': {
    says: 'Another client may look at a session (`scope: all`), but every action that changes it is refused unless it takes over.',
    source: 'tools, common rules',
  },
  'owner.same-program': {
    says: 'Two clients that debug the same program each have their own run of it.',
    source: 'product, life cycle',
  },
  'owner.gone': {
    says: 'When a client goes away, however it goes, its sessions end and nothing is left running.',
    source: 'product, life cycle',
  },
  'owner.keep': {
    says: 'A session launched to be kept lives on, and the next client reads on.',
    source: 'tools, debug_launch',
  },
  'daemon.one': {
    says: 'There is one daemon, even when many clients start at once.',
    source: 'product, life cycle',
  },
  'daemon.repeat': {
    says: 'A request the daemon died over tells how it died; one that may be made twice is made again to the next daemon, which the answer tells.',
    source: 'product, life cycle',
  },
  'daemon.clock': {
    says: 'When the clock of the machine is set, forward or back, nothing is lost, no wait ends early and no session grows old by it; running sessions say so.',
    source: 'product, life cycle',
  },
  'daemon.sleep': {
    says: 'When the machine slept, programs, traces and waits go on where they were, and running sessions say for how long it slept.',
    source: 'product, life cycle',
  },
  'daemon.idle': {
    says: 'Without client, session and run the daemon ends after the set time, and not before; it then leaves nothing behind.',
    source: 'product, life cycle',
  },
  'daemon.versions': {
    says: 'A newer client replaces an older daemon nobody needs; with one in use it works on and says so, in the answers too.',
    source: 'product, life cycle',
  },
  'daemon.killed': {
    says: 'After SIGKILL of the daemon what was committed stays, and programs run on unharmed.',
    source: 'product, life cycle',
  },
  'daemon.adopts': {
    says: 'The next daemon goes on with the sessions of one that died: output without a gap, calls from their open callers on, the true end also of what ended meanwhile, the owner; what could not be taken up is said.',
    source: 'product, life cycle',
  },
  'daemon.stores': {
    says: 'A daemon that is told to end stores first what programs that have ended left.',
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
  'mcp.tool-list': {
    says: 'The list of tools costs a client at most 4,000 tokens, 8,500 with the schemas of answers, and names every parameter and member.',
    source: 'product, MCP',
  },
  'mcp.progress': {
    says: 'Long work reports progress to a client that asks.',
    source: 'product, MCP',
  },
  'cli.equal': {
    says: 'Every tool is a command with the same parameters, and `--json` prints its structured answer.',
    source: 'product, command line',
  },
  'cli.next': {
    says: 'In a terminal, next steps are command lines that mean what an agent is told to call.',
    source: 'product, command line',
  },
  'cli.errors': {
    says: 'An unknown command or flag names the nearest one and fails.',
    source: 'product, command line',
  },
  'cli.help': {
    says: 'Help is made from the tool contracts.',
    source: 'product, command line',
  },
  'cli.daemon': {
    says: 'The daemon tells its state and can be stopped.',
    source: 'product, command line',
  },
  'cli.doctor': {
    says: '`strobe doctor` tells what is missing and what to do; with `--fix` it puts right what is Strobe’s own and says what it did.',
    source: 'product, command line',
  },
  'cli.run': {
    says: '`strobe run` leaves stdin, stdout, stderr and exit status of the program as they are and reports on stderr.',
    source: 'product, command line',
  },
  'cli.run-report': {
    says: 'With `--report FILE` the report goes into the file and stderr is that of the program alone.',
    source: 'product, command line',
  },
  'cli.run-hookless': {
    says: 'The report of `strobe run` names every pattern that hooked nothing, with the reason, also where others hooked.',
    source: 'product, command line',
  },
  'cli.run-after': {
    says: 'What `strobe run` recorded is what the next command of the same terminal asks about, and is listed as its own.',
    source: 'product, command line',
  },
  'cli.run-signal': {
    says: 'A program that a signal ended gives 128 and its number, as a shell does.',
    source: 'product, command line',
  },
  'cli.run-job': {
    says: 'At a terminal `strobe run` and its program are one job: Ctrl-C, Ctrl-Z, fg, bg, and signals to either, each of which arrives once.',
    source: 'product, command line',
  },
  'cli.run-death': {
    says: 'The program of `strobe run` does not depend on it or on the daemon; its status comes back although the daemon died.',
    source: 'product, command line',
  },
  'cli.run-terminal': {
    says: 'The terminal is put back when the program dies by a signal, and left as it is when it exits.',
    source: 'product, command line',
  },
  'cli.run-missing': {
    says: 'A program that does not exist is refused by `strobe run` too.',
    source: 'product, command line',
  },
  'settings.layers': {
    says: 'User settings, project settings and environment are merged in this order, and unknown names are reported.',
    source: 'product, settings',
  },
  'settings.project': {
    says: 'A project’s file may lower limits and lengthen lists, nothing else, whatever kind of file it is.',
    source: 'product, settings',
  },
  'settings.wrong': {
    says: 'A wrong value is told with its file and line or its variable, and with the value that counts instead.',
    source: 'product, settings',
  },
  'settings.keys': {
    says: 'Each setting counts for what its sentence says.',
    source: 'product, settings',
  },
  'settings.schema': {
    says: 'The schema for editors accepts the examples of the page and refuses what the loader refuses.',
    source: 'product, settings',
  },
  'bad.missing': {
    says: 'A program that does not exist is refused, with the way to name it.',
    source: 'product, answers',
  },
  'bad.not-executable': {
    says: 'A file that is not executable, or a folder, is refused.',
    source: 'product, answers',
  },
  'bad.not-a-program': {
    says: 'An executable file that is no program is refused.',
    source: 'product, answers',
  },
  'bad.architecture': {
    says: 'A program for another processor is refused.',
    source: 'product, answers',
  },
  'bad.static': {
    says: 'A statically linked program runs untraced, and the answer says why.',
    source: 'product, answers',
  },
  'bad.dies-at-once': {
    says: 'A program that ends before the answer is told with its exit and output.',
    source: 'product, answers',
  },
  'bad.none': {
    says: 'A client without a session is told to launch one.',
    source: 'tools, common rules',
  },
  'bad.cursor': {
    says: 'A wrong cursor, pattern or regular expression is refused.',
    source: 'tools, debug_query',
  },
  'bad.cwd': {
    says: 'A working directory or project that does not exist is refused by name.',
    source: 'tools, debug_launch',
  },
  'bad.parameter': {
    says: 'An unknown parameter is refused with the name of the nearest one.',
    source: 'product, tools',
  },
  'children.descriptors': {
    says: 'A program that the target executes gets the descriptor numbers of an untraced run, whatever it inherited; one that may have few is left as it is.',
    source: 'the target is sacred',
  },
  'children.output': {
    says: 'Where processes share their output no line is told as of a process that may not have written it: an answer about one process says that their lines cannot be told apart.',
    source: 'product §1, runtimes §3',
  },
  'children.kinds': {
    says: 'Programs that the target executes are followed, whichever way it starts them (fork, vfork, posix_spawn, system, popen, raw clone, Python, Node, Go, make, pytest, shells): patterns are armed in each image that matches before its main, each event carries its pid, output and status are those of the untraced run.',
    source: 'product, life cycle; runtimes, children',
  },
  'children.exec': {
    says: 'A process that replaces its program again and again, traced or not, is followed to the last one.',
    source: 'runtimes, children',
  },
  'children.running': {
    says: 'Patterns added to a running session are armed in its running processes and in the programs they execute from then on.',
    source: 'tools, debug_trace',
  },
  'children.status': {
    says: 'debug_session status counts the processes of a session and lists the most telling ones with program, exit status and whether they are traced; each start, exec and exit is an event with its pid.',
    source: 'tools, debug_session',
  },
  'children.many': {
    says: 'Of a tree of five hundred short-lived processes each is seen with its exit status, none is held up, and what following cost them is told.',
    source: 'runtimes, children',
  },
  'children.guard': {
    says: 'When daemon or supervisor is killed, programs of the tree are executed as before: what waited for an answer or was held goes on, also every later one.',
    source: 'runtimes, children',
  },
  'children.none': {
    says: 'With follow "none" only the program itself is seen, and nothing is changed for what it executes.',
    source: 'tools, debug_launch',
  },
  'bad.session': {
    says: 'An unknown session is refused with the way to list them.',
    source: 'tools, common rules',
  },
  'bad.no-debug-info': {
    says: 'A program without debug information is answered with advice for its build system.',
    source: 'tools, debug_launch',
  },
  'test.pytest': {
    says: 'pytest tests run through a plugin of ours: every outcome, both sides of a comparison, own frames, output; nothing is written into the project.',
    source: 'tools, debug_test',
  },
  'test.unittest': {
    says: 'unittest tests are told with subtests, failed fixtures and modules that cannot be imported.',
    source: 'tools, debug_test',
  },
  'test.generic': {
    says: 'Any command is a test run: TAP on its output and JUnit files it writes are known by content, else its exit status counts.',
    source: 'tools, debug_test',
  },
  'test.cargo': {
    says: 'Rust tests run through cargo: per target, with panics in callees, ignored and doc tests.',
    source: 'tools, debug_test',
  },
  'test.googletest': {
    says: 'A GoogleTest binary is known by what it is linked with; failures have both sides, places and output.',
    source: 'tools, debug_test',
  },
  'test.catch2': {
    says: 'A Catch2 binary (version 2 or 3) is known by what it is linked with; sections, messages and expected failures are told.',
    source: 'tools, debug_test',
  },
  'test.go': {
    says: 'Go tests run with subtests, panics and skips told.',
    source: 'tools, debug_test',
  },
  'test.ctest': {
    says: 'CTest tests are told with their output; a missing program is a failure.',
    source: 'tools, debug_test',
  },
  'test.vitest': {
    says: 'Vitest tests run through a reporter of ours: both sides of a comparison, own frames, output per test.',
    source: 'tools, debug_test',
  },
  'test.jest': {
    says: 'Jest tests run through a reporter of ours: both sides of a comparison, own frames, output of the file.',
    source: 'tools, debug_test',
  },
  'test.mocha': {
    says: 'Mocha tests run through a reporter of ours: both sides of a comparison, own frames.',
    source: 'tools, debug_test',
  },
  'test.node': {
    says: 'Tests of node:test run through a reporter of ours: both sides of a comparison, own frames.',
    source: 'tools, debug_test',
  },
  'test.bun': {
    says: 'Bun’s tests are told from its report and console: both sides of a comparison, own frames, retries.',
    source: 'tools, debug_test',
  },
  'test.deno': {
    says: 'Deno’s tests are told from its report and console: steps, own frames, output per test.',
    source: 'tools, debug_test',
  },
  'test.runner-missing': {
    says: 'A framework that is not installed is named with the command that installs it.',
    source: 'tools, debug_test',
  },
  'test.monorepo': {
    says: 'In a repository of several projects the nearest one counts; when none is meant, all are named.',
    source: 'tools, debug_test',
  },
  'test.compile': {
    says: 'Compile errors are a verdict of their own, each with file, line and message.',
    source: 'tools, debug_test',
  },
  'test.crash': {
    says: 'A test that kills its runner is named, and what was told before is kept.',
    source: 'tools, debug_test',
  },
  'test.traced': {
    says: 'With patterns the programs that run the tests are traced (C, C++, Rust), also behind cargo; other languages are refused by name.',
    source: 'tools, debug_test',
  },
  'test.events': {
    says: 'Events of a traced run name the test they belong to, and `test` in debug_query restricts to one (GoogleTest, Catch2, cargo, nextest); where that is not known it is refused.',
    source: 'tools, debug_query',
  },
  'test.diagnose': {
    says: 'With `diagnose` failed native tests run again traced: what they called with values, where they part from a passing test, the next two calls, within 2,500 tokens; other languages are told as not traceable yet.',
    source: 'tools, debug_test',
  },
  'test.recorded': {
    says: 'Reports recorded from real frameworks, of two major versions where both are in use, are read whole however they are cut.',
    source: 'tools, debug_test',
  },
  'test.binary': {
    says: 'Detection runs nothing: a command that is no test binary counts as one test.',
    source: 'tools, debug_test',
  },
  'test.limit': {
    says: 'A limit kills the whole tree of a run and is told.',
    source: 'tools, debug_test',
  },
  'test.cancel': {
    says: 'A cancelled run leaves no process; a second run of a project is refused while one goes on, unless asked for.',
    source: 'tools, debug_test',
  },
  'test.left-over': {
    says: 'Processes that tests leave behind are ended, and that is told.',
    source: 'tools, debug_test',
  },
  'test.durable': {
    says: 'Results of a run are readable after the daemon has restarted; every test of it is in its details file.',
    source: 'tools, debug_test',
  },
  'test.name': {
    says: 'One test is chosen by its exact name or a part that fits just one; else the candidates or the nearest names are told.',
    source: 'tools, debug_test',
  },
  'test.adopt': {
    says: 'A run outlives a daemon that is killed; the next one goes on with it and loses nothing.',
    source: 'product, life cycle',
  },
  'test.stuck': {
    says: 'A run that is silent is told with what its threads wait for or how busy they are, and where Python is; hints never kill.',
    source: 'tools, debug_test',
  },
  'test.stuck-stacks': {
    says: 'Of a silent run all threads’ stacks are told by the language’s own means: native threads with their locks, Node through its inspector, Go by its dump as a limit ends it.',
    source: 'tools, debug_test',
  },
  'test.hostile': {
    says: 'Tests that print 100 MB, read their input, leave hundreds of processes or lie in a folder that cannot be written run to their end: nothing is lost, nothing stays.',
    source: 'tools, debug_test',
  },
  'test.nextest': {
    says: 'Rust tests of a project that uses cargo-nextest run through it: as with cargo, with retries and limits told.',
    source: 'tools, debug_test',
  },
  'test.progress': {
    says: 'While a run is waited for, progress tells phase, counts, the test that runs and the slowest so far.',
    source: 'tools, debug_test',
  },
  'test.retry': {
    says: 'A test that passed only when it was tried again is named.',
    source: 'tools, debug_test',
  },
  'test.flaky': {
    says: 'A failed test that passed on the same code before is told as flaky; on other code it is not. A test that runs much longer than it ever did is told while it runs.',
    source: 'tools, debug_test',
  },
  'test.cli': {
    says: '`strobe test` waits for the end of the tests; its exit status tells whether all passed.',
    source: 'product, command line',
  },
  'test.budget': {
    says: 'The answer of a run without failures has at most 120 tokens, that of one with a failure at most 600.',
    source: 'tools, debug_test',
  },
  'test.survey': {
    says: 'Where no test is found the answer says what the project is built with and which of its files look like tests.',
    source: 'tools, debug_test',
  },
  'test.bad': {
    says: 'A project without tests, an unknown framework, level, test or run is refused with the next step.',
    source: 'tools, debug_test',
  },
  'security.home': {
    says: 'Strobe’s folder and files are closed to others; a folder that is open or foreign is refused.',
    source: 'product, security',
  },
  'security.place': {
    says: 'Links, foreign files and ways open to others are refused; files and folders of ours are for their owner alone, whatever the umask.',
    source: 'product, security',
  },
  'security.socket': {
    says: 'Another user reaches neither the socket nor what was captured, and no process of ours opens a network socket.',
    source: 'product, security',
  },
  'security.paths': {
    says: 'No session id, path or other text of a request leads out of its place or is run.',
    source: 'product, security',
  },
  'security.text': {
    says: 'What a program prints or is called cannot pass for our words, move a terminal or break a message.',
    source: 'product, security; product, answers',
  },
  'security.malformed': {
    says: 'Ten thousand malformed messages, over the socket or the proxy, for root or not, stop nothing, run nothing and write nowhere.',
    source: 'product, security',
  },
  'security.large': {
    says: 'A message or a number of connections beyond the limits is refused, and memory stays bounded.',
    source: 'product, security',
  },
  'security.user': {
    says: 'An unprivileged user launches, traces and reads in a home of its own, and gets no further than the kernel lets it.',
    source: 'product, security; architecture, tests',
  },
  'security.redaction': {
    says: 'Values whose names look like secrets are never read from the program; the placeholder says why, and a session can switch it off.',
    source: 'product, security',
  },
  'hang.index': {
    says: 'While the thread that writes a session hangs, what is stored is answered; one that hangs for long is replaced by another, which goes on from the last commit.',
    source: 'product, life cycle',
  },
  'hang.query': {
    says: 'A question that hangs costs itself, not the next one.',
    source: 'product, life cycle',
  },
  'exit.killed': {
    says: 'A target that is killed is told with its signal, and every call it recorded is stored.',
    source: 'architecture, decisions',
  },
  'scarcity.disk': {
    says: 'A full disk costs neither program nor session: it is told, what is stored can be asked, and capture goes on from there when there is room.',
    source: 'product, life cycle',
  },
  'scarcity.shared-memory': {
    says: '64 MB of shared memory are enough; without any the program runs untraced and the answer says why.',
    source: 'product, life cycle',
  },
  'scarcity.read-only': {
    says: 'A home folder that cannot be written is told at once, with what to do.',
    source: 'product, answers',
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
