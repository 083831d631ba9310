/** What a client reads about the server as a whole; under 2 KB. */
export const instructions = `Strobe shows what a program really does while it runs: its output, and every call of the functions you choose, with arguments, return values, time, thread and caller. No recompilation, no log statements, no restart. Linux x86_64: C, C++, Rust, Go, Python, JavaScript and TypeScript (Node, Deno).

How to find a bug with it:
1. Read the code first and form a suspicion. A failing test: debug_test {"diagnose": true}.
2. debug_launch the program (C, C++, Rust: built with -g). Without patterns at first, unless you know where to look.
3. Read what it wrote: debug_query {"view": "output"}; after a crash {"view": "crash"}.
4. Narrow traces: debug_trace {"add": ["module::Class::*"]} on the running program, or patterns of debug_launch from the first instruction on. Prefer one class or file over "@usercode"; {"pattern": …, "depth": 3} follows more pointers.
5. Trigger the behaviour (debug_session "input", or let it run) and wait for it: debug_session {"action": "wait", "for": ["exit"]}.
6. Read debug_query {"view": "tree"} for what called what with which values, "stats" for how often and how long, "events" with filters (returnValue, argument, function) for the one call that went wrong, "diff" for where a bad run first diverges from a good one.
7. The cause is between two lines: debug_breakpoint with log or capture records there, without it stops; debug_inspect looks.
8. Widen or narrow the trace and repeat. Then fix the source.

Every answer says what was lost or only counted, and ends with the next calls to make; calls without sessionId mean the session you used last. #1 stands for a value that the same answer wrote out before. Events stay readable after the program has ended. A timeout of a wait is an answer: call again with its cursor. Use narrower filters or the cursor where an answer meets its token budget.`;
