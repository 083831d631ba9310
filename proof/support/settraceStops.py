# Runs a script under sys.settrace: at chosen arrivals at chosen lines its stack with the variables of each frame, a line of JSON each.
# STROBE_PLAN: a file of JSON: {"lines": [number, …], "arrivals": [number, …], "out": file}; arguments: the script.
import collections
import inspect
import json
import os
import sys

plan = json.load(open(os.environ["STROBE_PLAN"]))
out = open(plan["out"], "w")
script = os.path.abspath(sys.argv[1])
lines = set(plan["lines"])
# By function, too: a comprehension is one of its own, with lines of the one around it.
reached = collections.Counter()


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def word(value):
    """What a value is, in a word that both sides have; "made" where they show it in ways of their own."""
    if value is None:
        return "word:None"
    if isinstance(value, bool):
        return f"bool:{str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"number:{value}"
    if isinstance(value, str):
        return f"string:{value}"
    if type(value) in (list, tuple):
        return f"list:{len(value)}"
    if type(value) is dict:
        return f"map:{len(value)}"
    return "made"


def stack(frame):
    while frame is not None:
        code = frame.f_code
        variables = {name: word(value) for name, value in frame.f_locals.items()}
        yield {
            "function": name_of(code),
            "file": code.co_filename,
            "line": frame.f_lineno,
            # Bodies of modules and classes have names of their module or class, no locals.
            "variables": variables if code.co_flags & inspect.CO_OPTIMIZED else {},
        }
        if code.co_filename == script and code.co_name == "<module>":
            return
        frame = frame.f_back


def trace(frame, event, argument):
    if frame.f_code.co_filename != script:
        return None
    if event == "line" and frame.f_lineno in lines:
        line = frame.f_lineno
        place = (name_of(frame.f_code), line)
        reached[place] += 1
        if reached[place] in plan["arrivals"]:
            told = {"line": line, "arrival": reached[place], "frames": list(stack(frame))}
            out.write(json.dumps(told) + "\n")
    return trace


sys.argv = sys.argv[1:]
code = compile(open(script).read(), script, "exec")
names = {"__name__": "__main__", "__file__": script, "__builtins__": __builtins__}
sys.modules["__main__"].__dict__.update(names)
sys.settrace(trace)
exec(code, sys.modules["__main__"].__dict__)
sys.settrace(None)
out.close()
