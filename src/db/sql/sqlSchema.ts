import { endNames } from '../blockFormat.ts';

/** What SQL can be asked about; shown when a statement is wrong. */
export const sqlSchema = `Columns may be written as in JSON (returnValue, timestampNs).
calls(function_pattern, time_from_ns, time_to_ns): id, parent_id, function_name, signature, module, source_file, line_number, thread_id, thread_name, pid, depth, timestamp_ns, duration_ns (null: open), end (${endNames.join(', ')}), arguments (JSON object; what was not captured is not in it, nullptr is null), return_value (JSON), watch_values (JSON: [{label, at, value}]); not in SELECT *: function_name_raw (as the linker has it), and whole numbers timestamp_us, timestamp_ms, timestamp_s, duration_us, duration_ms; also suspended_ns, strand (task, test, goroutine or greenlet), exception (JSON: what left the call). FROM calls, or FROM calls('bank::Account::*'); '' is any function.
events(same parameters): id, event_type (call, stdout, stderr, process, exception, crash, loss, variable_snapshot), timestamp_ns, duration_ns, pid, thread_id, thread_name, parent_event_id, function_name, function_name_raw, source_file, line_number, text, arguments, return_value, watch_values.
watch_values: what watches saw: time_ns, label, value, at (enter, return, write), pid, thread_id, call_id, text.
callers: who calls whom: caller (null: none traced), function_name, calls, total_ns, min_ns, max_ns.
output: id, time_ns, stream (1 stdout, 2 stderr), pid, text. threads: key, pid, tid, name. processes: time_ns, pid, text. losses: time_ns, cause, count. exceptions: time_ns, pid, tid, type, message, text.
functions: number, name, signature, module, file, line; function_counters: number, calls, unwound, total_ns, self_ns, min_ns, max_ns.`;
