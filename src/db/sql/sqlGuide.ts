import { sqlSchema } from './sqlSchema.ts';

/** A question and the statement that answers it; each runs on every session. */
export const sqlExamples = [
  {
    question: 'Which functions were called how often, and how long did they take?',
    sql: 'SELECT f.name, c.calls, c.total_ns, c.self_ns FROM function_counters c JOIN functions f USING (number) ORDER BY c.self_ns DESC LIMIT 20',
  },
  {
    question: 'With which arguments and results was a function called, and how often?',
    sql: "SELECT arguments, return_value, count(*) AS calls FROM calls('*') GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20",
  },
  {
    question: 'One argument by its name: which values did it have?',
    sql: 'SELECT function_name, a.key AS argument, min(a.value), max(a.value), count(DISTINCT a.value) FROM calls, json_each(calls.arguments) a GROUP BY 1, 2',
  },
  {
    question: 'What happened within a millisecond of the first line of output?',
    sql: "SELECT timestamp_ns, event_type, function_name, text FROM events('', (SELECT min(time_ns) - 1e6 FROM output), (SELECT min(time_ns) + 1e6 FROM output)) ORDER BY timestamp_ns",
  },
  {
    question: 'Which calls did not return, or were left by an exception?',
    sql: "SELECT end, function_name, count(*), min(id) FROM calls WHERE end <> 'returned' GROUP BY 1, 2 ORDER BY 3 DESC",
  },
  {
    question: 'Who calls whom?',
    sql: 'SELECT caller, function_name AS callee, calls, total_ns FROM callers ORDER BY calls DESC LIMIT 50',
  },
  {
    question: 'Under which callers were the longest calls of a function?',
    sql: "SELECT c.id, c.duration_ns, p.function_name AS caller, p.duration_ns FROM calls('*') c LEFT JOIN calls p ON p.id = c.parent_id WHERE c.duration_ns > 1000 ORDER BY 2 DESC LIMIT 20",
  },
  {
    question: 'What did each call of a function call itself, and how long did that take?',
    sql: "SELECT p.id, p.duration_ns, count(*), sum(c.duration_ns) FROM calls('*') p JOIN calls c ON c.parent_id = p.id WHERE p.depth = 0 GROUP BY p.id LIMIT 20",
  },
  {
    question: 'How much time does each namespace take?',
    sql: "SELECT substr(name, 1, instr(name || '::', '::') - 1) AS namespace, sum(n) AS calls, sum(ns) FROM (SELECT function_name AS name, count(*) AS n, sum(duration_ns) AS ns FROM calls GROUP BY 1) GROUP BY 1 ORDER BY 3 DESC",
  },
  {
    question: 'How many calls began in each tenth of a second?',
    sql: 'SELECT ms / 100 AS tenth, sum(n) AS calls FROM (SELECT timestamp_ms AS ms, count(*) AS n FROM calls GROUP BY 1) GROUP BY 1 ORDER BY 1',
  },
  {
    question: 'What ran in each second?',
    sql: 'SELECT timestamp_s, function_name, count(*), avg(duration_ns) FROM calls GROUP BY 1, 2',
  },
  {
    question: 'How are the durations of a function distributed?',
    sql: "SELECT duration_us, count(*) AS calls FROM calls('*') GROUP BY 1 ORDER BY 1",
  },
  {
    question: 'What are the median and the 95th percentile of each function?',
    sql: 'SELECT function_name, count(*), median(duration_ns), percentile(duration_ns, 95) FROM calls GROUP BY 1',
  },
  {
    question: 'What does each thread do?',
    sql: 'SELECT thread_name, thread_id, count(*) AS calls, min(timestamp_ns), max(timestamp_ns) FROM calls GROUP BY 1, 2 ORDER BY 3 DESC',
  },
  {
    question: 'Which values did each watch see, and how often?',
    sql: 'SELECT label, value, count(*), min(time_ns) FROM watch_values GROUP BY 1, 2 ORDER BY 1, 4 LIMIT 50',
  },
  {
    question: 'What is missing, and why?',
    sql: 'SELECT cause, sum(count) FROM losses GROUP BY 1',
  },
] as const;

/** What a client that writes SQL has to know: Markdown. */
export const sqlGuide = [
  '# SQL over a session',
  '',
  'debug_query {"view": "sql", "sql": "SELECT …", "params": []} answers one SELECT (SQLite) over one session: read-only, 10 s of a processor (40 s in all), `limit` rows.',
  'Times are nanoseconds since the session began. Values are JSON: numbers where they are exact, addresses, larger numbers, NaN and Infinity as text, null where there is none or it was not captured.',
  '',
  '## Tables',
  '',
  ...sqlSchema.split('\n').map((line) => `- ${line}`),
  '',
  'Only the calls and columns that a statement needs are read. A second for ten million calls, or less, take:',
  '',
  "- a function pattern and a time range as parameters, `calls('bank::*', 0, 5e9)`; WHERE with `=`, LIKE or GLOB on function_name, signature, module, source_file and thread_name, `=` on id, parent_id (what a call called itself), thread_id and pid, any comparison with timestamp_ns and duration_ns;",
  '- GROUP BY, ORDER BY and SELECT DISTINCT of any columns of `calls` but id and watch_values, and no ORDER BY of parent_id (of more than 16 million calls only of columns of the function and the thread);',
  '- arguments and results in GROUP BY and SELECT DISTINCT, where they have less than a million values; one by its name too, where the statement has one SELECT, from `calls` alone;',
  "- one argument or result by its name, `json_extract(arguments, '$.amount')`, `arguments ->> 'amount'`, `return_value ->> '$'`, `sum(return_value)`, `avg` and `total` too, in aggregates and in WHERE, where it is a number, an address, an enumerator or a text. `return_value > 5` compares text, `return_value ->> '$' > 5` numbers;",
  '- a join of some calls to others by `id` (0.3 µs a call: not of all of millions; `callers` has who calls whom).',
  '',
  'Everything else SQLite sorts, which takes 0.2 to 0.6 µs a call: groups by expressions, count(DISTINCT …) of times and parents, window functions (median() and percentile() are aggregates, and quicker). Of millions of calls group by columns first and compute from these groups: `SELECT substr(f, 1, 4), sum(n) FROM (SELECT function_name AS f, count(*) AS n FROM calls GROUP BY 1) GROUP BY 1`; times by `timestamp_ms` or `timestamp_s`, durations by `duration_us`; distinct values as `SELECT count(*) FROM (SELECT DISTINCT parent_id FROM calls)`.',
  '',
  'All of `arguments`, containers and structures are written as JSON once for all calls of a function that captured the same bytes. Where each call captured others, and for `watch_values`, they take a hundred times as long as a column: narrow first.',
  '',
  '## Examples',
  '',
  ...sqlExamples.flatMap(({ question, sql }) => [question, '```sql', sql, '```', '']),
].join('\n');
