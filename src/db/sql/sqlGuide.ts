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
    sql: "SELECT substr(function_name, 1, instr(function_name || '::', '::') - 1) AS namespace, count(*), sum(duration_ns) FROM calls GROUP BY 1 ORDER BY 3 DESC",
  },
  {
    question: 'How many calls began in each tenth of a second?',
    sql: 'SELECT timestamp_ns / 100000000 AS tenth, count(*) AS calls FROM calls GROUP BY 1 ORDER BY 1',
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
  'debug_query {"view": "sql", "sql": "SELECT …", "params": []} answers one SELECT (SQLite) over one session: read-only, 2.5 s of a processor (20 s in all), `limit` rows.',
  'Times are nanoseconds since the session began. Values are JSON: numbers where they are exact, addresses, larger numbers, NaN and Infinity as text, null where there is none or it was not captured.',
  '',
  '## Tables',
  '',
  ...sqlSchema.split('\n').map((line) => `- ${line}`),
  '',
  "Only the calls and columns are read that a statement needs. Quick are: a function pattern and a time range as parameters, `calls('bank::*', 0, 5e9)`; WHERE with `=`, LIKE or GLOB on function_name, signature, module, source_file and thread_name, `=` on id, parent_id (what a call called itself), thread_id and pid, any comparison with timestamp_ns and duration_ns; GROUP BY, ORDER BY and SELECT DISTINCT of any columns of `calls` but id and values, and no ORDER BY of parent_id (of more than 16 million calls only of columns of the function and the thread); a join of some calls to others by `id` (0.3 µs a call: not of all of millions; `callers` has who calls whom). Where a SELECT reads `calls` alone, GROUP BY of up to four expressions of those columns is as quick (`substr(function_name, 1, 4)`, `duration_ns > 1000`, CASE; of times `timestamp_ns / 5000000`, `round(timestamp_ns / 1e9, 1)` and the like, one time in each), without parameters in them. count(DISTINCT …) is quick everywhere. Groups by anything else (of a join, say) sort all rows: group by columns first, in a subquery. Window functions take 0.4 to 0.7 µs a call in SQLite itself, though the rows come in their order: median() and percentile() are aggregates, and quicker. One argument or result is read where it lies: `json_extract(arguments, '$.amount')`, `arguments ->> 'amount'`, `return_value ->> '$'`, `sum(return_value)`, `avg` and `total` too, in a SELECT that reads `calls` alone, also in WHERE, in GROUP BY and in expressions that are grouped by; of numbers, addresses, enumerators and texts that is as quick as a column. `return_value > 5` compares text, `return_value ->> '$' > 5` numbers. `return_value` as it is and GROUP BY of it, too. All of `arguments`, containers and structures are written as JSON once for all calls of a function that captured the same: groups of these are quick where that comes again; where each call has its own, and for `watch_values`, they take a hundred times as long: narrow first.",
  '',
  '## Examples',
  '',
  ...sqlExamples.flatMap(({ question, sql }) => [question, '```sql', sql, '```', '']),
].join('\n');
