"""What Strobe's Python reporters share: one JSON object a line, texts."""

import os
import re
import time
from json.encoder import encode_basestring_ascii as _quoted

_MOST_TEXT = 16384


def _json(value):
    """JSON of what events hold. A test may replace functions of json, or have them traced: none of Python's is called."""
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (_quoted(key), _json(value[key])) for key in value)
    return "[%s]" % ", ".join(_json(each) for each in value)


class Writer:
    def __init__(self, path):
        # Append and unbuffered: several processes (xdist) write whole lines to one file.
        self.file = open(path, "ab", buffering=0)
        self.pid = os.getpid()

    def write(self, event, **fields):
        if os.getpid() != self.pid:
            return  # a forked child of a test is not the runner
        fields["event"] = event
        self.file.write((_json(fields) + "\n").encode("utf-8", "backslashreplace"))


def now(_read=time.clock_gettime_ns, _clock=time.CLOCK_MONOTONIC):
    """Nanoseconds as text: of the clock of traced events, also where a test replaces `time`."""
    return str(_read(_clock))


def shortened(text):
    return text if len(text) <= _MOST_TEXT else text[-_MOST_TEXT:]


def side(value):
    """One side of a comparison."""
    try:
        return shortened(repr(value))
    except Exception as error:  # a broken __repr__ of the project's
        return "<unprintable %s: %s>" % (type(value).__name__, type(error).__name__)


def syntax_problem(text):
    """What the compiler said of a module, from the end of a traceback; None when it said nothing."""
    said = re.search(r"^((?:Syntax|Indentation|Tab)Error): (.*)$", text, re.MULTILINE)
    place = re.findall(r'^\s*File "([^"]+)", line (\d+)', text, re.MULTILINE)
    if said is None or not place:
        return None
    file, line = place[-1]
    return {"file": file, "line": int(line), "column": None, "message": said.group(0)}
