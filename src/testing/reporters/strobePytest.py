"""A pytest plugin (pytest 6 and later): tells Strobe what happens, one JSON object a line.

Loaded with -p from Strobe's own folder. It changes nothing of the run: no option, no capture, no
outcome. The variables that brought it here are taken back before a test can see them.
PYTEST_DONT_REWRITE
"""

import os
import re
import sys

import pytest

_WRITES_BYTECODE = sys.dont_write_bytecode
sys.dont_write_bytecode = True  # nothing is left beside Strobe's own files
from strobeEvents import now, shortened, side, syntax_problem, Writer  # noqa: E402
sys.dont_write_bytecode = _WRITES_BYTECODE

_REPORT = os.environ.get("STROBE_TEST_REPORT")


def _restore_environment():
    """Tests see the environment and the module path of a run without us."""
    os.environ.pop("STROBE_TEST_REPORT", None)
    cache = os.environ.pop("STROBE_PYCACHE", None)
    if cache and sys.pycache_prefix is None:
        sys.pycache_prefix = cache  # compiled modules of the project stay out of its folders
    before = os.environ.pop("STROBE_PYTHONPATH", None)
    if before == "":
        os.environ.pop("PYTHONPATH", None)
    elif before is not None:
        os.environ["PYTHONPATH"] = before[1:]
    # Workers of pytest-xdist import us again, so the folder stays, at the end.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != here] + [here]


def _frames(excinfo):
    """Innermost first, without pytest's own."""
    frames = []
    error, seen = excinfo, 0
    while error is not None and seen < 200:
        code = error.tb_frame.f_code
        frames.append({"function": getattr(code, "co_qualname", code.co_name),
                       "file": code.co_filename, "line": error.tb_lineno})
        error = error.tb_next
        seen += 1
    frames.reverse()
    return frames


class StrobePlugin:
    def __init__(self, writer):
        self.writer = writer
        self.compared = {}
        self.raised = {}
        self.spent = {}
        self.pending = {}
        self.began = {}
        self.is_worker = False
        self.is_controller = False

    # Workers of pytest-xdist tell nothing themselves: their reports arrive at the controller.
    def pytest_configure(self, config):
        self.is_worker = hasattr(config, "workerinput")
        # To list tests pytest-xdist starts no workers.
        self.is_controller = (bool(getattr(config.option, "numprocesses", None))
                              and not self.is_worker and not config.option.collectonly)
        self.root = str(getattr(config, "rootpath", None) or config.rootdir)
        if not self.is_worker:
            self.writer.write("process", pid=os.getpid())
            self.writer.write("phase", phase="collecting")

    def pytest_collection_finish(self, session):
        if self.is_worker or self.is_controller:
            return
        if session.config.option.collectonly:
            for item in session.items:
                file, line, _name = item.location
                self.writer.write("finished", id=item.nodeid, name=item.nodeid,
                                  file=os.path.normpath(os.path.join(self.root, file)),
                                  line=None if line is None else line + 1, outcome="skipped",
                                  durationMs=None, reason="listed")
            return
        self.writer.write("expected", count=len(session.items))
        self.writer.write("phase", phase="running")

    def pytest_collectreport(self, report):
        if not report.failed or self.is_worker:
            return
        text = str(report.longrepr)
        said = [line[1:].strip() for line in text.split("\n") if re.match(r"E\s", line)]
        places = re.findall(r"^(\S[^\n]*?):(\d+): in ([^\n]+)$", text, re.MULTILINE)
        frames = [{"function": function, "file": os.path.join(self.root, file), "line": int(line)}
                  for file, line, function in reversed(places) if not _is_own(file)]
        failure = {"message": said[-1] if said else shortened(text), "frames": frames,
                   "output": shortened(text) if said else ""}
        file = os.path.join(self.root, report.nodeid.split("::")[0]) if report.nodeid else None
        broken = syntax_problem("\n".join(said))
        if broken is not None:
            self.writer.write("buildProblem", **broken)
            return
        self.writer.write("finished", id=report.nodeid or "collection",
                          name=report.nodeid or "collection", file=file, line=None,
                          outcome="failed", durationMs=None, reason="collecting", failure=failure)

    def pytest_runtest_logstart(self, nodeid, location):
        self.began[nodeid] = now()
        if self.is_worker:
            return
        # The controller of pytest-xdist hears of it later, and runs no test.
        place = {} if self.is_controller else {"pid": os.getpid(), "begin": self.began[nodeid]}
        self.writer.write("started", id=nodeid, file=self._file(location), **place)

    def pytest_runtest_logfinish(self, nodeid, location):
        self.began.pop(nodeid, None)

    def pytest_assertrepr_compare(self, config, op, left, right):
        if op == "==":
            self.compared["last"] = (side(left), side(right))
        return None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if call.when == "teardown" and item.nodeid in self.began:
            report.strobe_span = [os.getpid(), self.began[item.nodeid], now()]
        if call.excinfo is not None:
            # Plain values: they travel from a worker of pytest-xdist with the report.
            report.strobe_frames = _frames(call.excinfo.tb)
            if "last" in self.compared and isinstance(call.excinfo.value, AssertionError):
                report.strobe_compared = list(self.compared["last"])
        self.compared.clear()

    def pytest_runtest_logreport(self, report):
        if self.is_worker:
            return
        node = report.nodeid
        self.spent[node] = self.spent.get(node, 0.0) + report.duration
        if report.when == "teardown":
            span = getattr(report, "strobe_span", None)
            if span is not None:
                self.writer.write("span", id=node, pid=span[0], begin=span[1], end=span[2])
            fields = self.pending.pop(node, None)
            if report.failed:
                fields = self._finished(report, "failed", None, "teardown")
            if fields is not None:
                fields["durationMs"] = round(self.spent.pop(node, 0.0) * 1000, 3)
                self.writer.write("finished", **fields)
            self.spent.pop(node, None)
            return
        if report.when == "setup" and report.passed:
            return
        if report.outcome == "rerun":  # pytest-rerunfailures
            return
        expected = hasattr(report, "wasxfail")
        if report.failed:
            fields = self._finished(report, "failed", None, report.when)
        elif report.skipped:
            outcome = "expectedFailure" if expected else "skipped"
            reason = report.wasxfail if expected else _skip_reason(report)
            fields = self._finished(report, outcome, reason, report.when)
        else:
            fields = self._finished(report, "passed", "passed although expected to fail" if expected else None, None)
        self.pending[node] = fields

    def pytest_sessionfinish(self, session, exitstatus):
        if self.is_worker:
            return
        for node, fields in list(self.pending.items()):
            fields["durationMs"] = round(self.spent.get(node, 0.0) * 1000, 3)
            self.writer.write("finished", **fields)
        self.pending.clear()
        self.writer.write("complete")

    def pytest_internalerror(self, excrepr):
        self.writer.write("trouble", text=shortened("pytest failed: " + str(excrepr)))

    def _file(self, location):
        return os.path.normpath(os.path.join(self.root, location[0]))

    def _finished(self, report, outcome, reason, when):
        file, line, _name = report.location
        fields = {"id": report.nodeid, "name": report.nodeid, "file": self._file(report.location),
                  "line": None if line is None else line + 1,
                  "outcome": outcome, "durationMs": None, "reason": reason}
        if outcome == "failed":
            fields["failure"] = self._failure(report, when)
        return fields

    def _failure(self, report, when):
        message = _message(report)
        if when in ("setup", "teardown"):
            message = "error in " + when + ": " + message
        actual, expected = getattr(report, "strobe_compared", (None, None))
        output = "".join(
            content for title, content in report.sections
            if title.startswith("Captured"))
        return {"message": shortened(message), "expected": expected, "actual": actual,
                "frames": self._report_frames(report), "output": shortened(output)}

    def _report_frames(self, report):
        frames = getattr(report, "strobe_frames", None)
        if frames is None:
            frames = []
            traceback = getattr(report.longrepr, "reprtraceback", None)
            for entry in getattr(traceback, "reprentries", []):
                place = getattr(entry, "reprfileloc", None)
                if place is not None:
                    frames.append({"function": None, "file": place.path, "line": place.lineno})
            frames.reverse()
        return [dict(frame, file=os.path.normpath(os.path.join(self.root, frame["file"])))
                for frame in frames if not _is_own(frame["file"])][:40]


def _is_own(path):
    return any(part in path.replace(os.sep, "/")
               for part in ("/_pytest/", "/pluggy/", "/pytest/", "importlib/", "<frozen"))


def _message(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return crash.message
    return str(report.longrepr) if report.longrepr else "failed"


def _skip_reason(report):
    if isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        return reason[len("Skipped: "):] if reason.startswith("Skipped: ") else reason
    return None


def pytest_configure(config):
    is_worker = hasattr(config, "workerinput")
    if _REPORT is None and not is_worker:
        return
    _restore_environment()
    writer = None if is_worker else Writer(_REPORT)
    # pytest_configure of a plugin that comes later is called by its registration.
    config.pluginmanager.register(StrobePlugin(writer), "strobe-events")
