"""Python's own debugger at lines of a program: `lines SCRIPT` says which there are, `stop SCRIPT JSON` what each stop saw."""
import ast
import bdb
import json
import sys

what, script = sys.argv[1:3]
source = open(script).read()


def lines():
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for inner in ast.walk(node):
            is_silent = isinstance(inner, (ast.Global, ast.Nonlocal, ast.Try))
            if isinstance(inner, ast.stmt) and inner is not node and not is_silent:
                found.add(inner.lineno)
    return sorted(found)


def shown(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [shown(one) for one in value]
    if isinstance(value, dict):
        return {str(key): shown(one) for key, one in value.items()}
    return "<other>"


class Stops(bdb.Bdb):
    def __init__(self, names):
        super().__init__()
        self.names = names
        self.stops = []
        self.last = {}

    def dispatch_line(self, frame):
        # From 3.12 on it also stops where a loop within one line goes back: no line begins there.
        before = self.last.get(frame)
        self.last[frame] = frame.f_lineno
        if before == frame.f_lineno and sys.version_info >= (3, 12):
            return self.trace_dispatch
        return super().dispatch_line(frame)

    def user_line(self, frame):
        key = str(frame.f_lineno)
        code = frame.f_code
        # It also stops in the code of a comprehension, which is no function.
        is_own = code.co_filename == script and not code.co_name.startswith("<")
        if is_own and key in self.names:
            values = frame.f_locals
            told = {name: [shown(values[name])] for name in self.names[key] if name in values}
            self.stops.append({"line": frame.f_lineno, "values": told})
        self.set_continue()


if what == "lines":
    print(json.dumps(lines()))
else:
    debugger = Stops(json.loads(sys.argv[3]))
    for number in debugger.names:
        debugger.set_break(script, int(number))
    debugger.run(compile(source, script, "exec"), {"__name__": "__main__"})
    print("stops " + json.dumps(debugger.stops))
