"""Runs unittest as `python -m unittest` does and tells Strobe what happens, one JSON object a line.

Arguments are those of `python -m unittest`. The variables that brought it here are taken back
before a test can see them.
"""

import inspect
import json
import os
import re
import sys
import time
import unittest

_WRITES_BYTECODE = sys.dont_write_bytecode
sys.dont_write_bytecode = True  # nothing is left beside Strobe's own files
from strobeEvents import Writer, now, shortened, side, syntax_problem  # noqa: E402
sys.dont_write_bytecode = _WRITES_BYTECODE

_REPORT = os.environ.get("STROBE_TEST_REPORT")
_LIBRARY = os.path.dirname(os.__file__)
_HERE = os.path.dirname(os.path.abspath(__file__))


def _place(test):
    method = getattr(test, getattr(test, "_testMethodName", ""), None)
    try:
        code = inspect.unwrap(getattr(method, "__func__", method)).__code__
        return os.path.abspath(code.co_filename), code.co_firstlineno
    except Exception:
        return None, None


def _message(kind, error):
    text = str(error)
    if issubclass(kind, AssertionError) and text:
        return text
    return kind.__name__ + (": " + text if text else "")


def _failure(err, output=""):
    kind, error, tb = err
    frames, actual, expected = [], None, None
    seen = 0
    while tb is not None and seen < 200:
        code = tb.tb_frame.f_code
        if "__unittest" in tb.tb_frame.f_globals:
            values = tb.tb_frame.f_locals
            if code.co_name == "assertEqual" and "first" in values:
                actual, expected = side(values["first"]), side(values["second"])
        elif not code.co_filename.startswith((_HERE, "<frozen")):
            frames.append({"function": getattr(code, "co_qualname", code.co_name),
                           "file": os.path.abspath(code.co_filename), "line": tb.tb_lineno})
        tb = tb.tb_next
        seen += 1
    frames.reverse()
    return {"message": shortened(_message(kind, error)), "expected": expected, "actual": actual,
            "frames": frames[:40], "output": output}


class _Said:
    """The end of what is written through sys.stdout and sys.stderr; it goes where it went."""

    def __init__(self):
        self.text = ""
        for stream in (sys.stdout, sys.stderr):
            self._listen(stream)

    def _listen(self, stream):
        write = getattr(stream, "write", None)

        def heard(text):
            if isinstance(text, str):
                self.text = (self.text + text)[-16384:]
            return write(text)

        try:
            stream.write = heard
        except AttributeError:  # a stream of the project's own that takes no attributes
            pass


def _result_class(writer, said):
    class StrobeResult(unittest.TextTestResult):
        _strobe_told = False  # fixtures fail before any test starts

        def startTest(self, test):
            super().startTest(test)
            self._strobe_started = time.monotonic()
            said.text = ""
            self._strobe_began = now()
            self._strobe_names = {test.id()}
            self._strobe_told = type(test).__name__ == "_FailedTest"
            if not self._strobe_told:
                writer.write("started", id=test.id(), file=_place(test)[0],
                             pid=os.getpid(), begin=self._strobe_began)

        def stopTest(self, test):
            super().stopTest(test)
            end = now()
            for name in sorted(self._strobe_names):
                writer.write("span", id=name, pid=os.getpid(), begin=self._strobe_began, end=end)
            if not self._strobe_told:  # failed in its subtests only
                writer.write("ended", id=test.id())

        def _tell(self, test, outcome, reason=None, err=None, kind=None):
            self._strobe_told = self._strobe_told or not hasattr(test, "test_case")
            started = getattr(self, "_strobe_started", None)
            spent = None if started is None else round((time.monotonic() - started) * 1000, 3)
            subject = getattr(test, "test_case", test)  # a subtest's own case
            file, line = _place(subject)
            name = test.id()
            if hasattr(test, "test_case"):  # a subtest: its time is not told apart from the others'
                self._strobe_names.add(name)
            fields = {"id": name, "name": name, "file": file, "line": line, "outcome": outcome,
                      "durationMs": spent, "reason": reason}
            if err is not None:
                failure = _failure(err, said.text)
                if kind is not None:
                    failure["message"] = kind + ": " + failure["message"]
                fields["failure"] = failure
            writer.write("finished", **fields)

        def addSuccess(self, test):
            super().addSuccess(test)
            self._tell(test, "passed")

        def addFailure(self, test, err):
            self._tell(test, "failed", err=err)  # before unittest cuts its own frames off
            super().addFailure(test, err)

        def addError(self, test, err):
            if type(test).__name__ == "_FailedTest":
                self._loading(test, err)
            else:
                holder = type(test).__name__ == "_ErrorHolder"
                self._tell(test, "failed", err=err, kind="error in set-up" if holder else None)
            super().addError(test, err)

        def _loading(self, test, err):
            """A module that could not be imported; its exception names the file in its text."""
            name = getattr(test, "_testMethodName", test.id())
            failure = _failure(err)
            broken = syntax_problem(failure["message"])
            if broken is not None:
                writer.write("buildProblem", **broken)
                return
            lines = failure["message"].strip().split("\n")
            places = re.findall(r'File "([^"]+)", line (\d+)', failure["message"])
            own = [place for place in places if not place[0].startswith((_LIBRARY, "<"))]
            failure["message"] = name + " cannot be imported: " + lines[-1]
            failure["frames"] = [{"function": None, "file": file, "line": int(line)}
                                 for file, line in reversed(own)]
            file, line = own[-1] if own else (None, None)
            writer.write("finished", id=name, name=name, file=file,
                         line=None if line is None else int(line), outcome="failed",
                         durationMs=None, reason="collecting", failure=failure)

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            self._tell(test, "skipped", reason=str(reason))

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            self._tell(test, "expectedFailure", reason=_message(err[0], err[1]))

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            file, line = _place(test)
            writer.write("finished", id=test.id(), name=test.id(), file=file, line=line,
                         outcome="failed", durationMs=None, reason=None,
                         failure={"message": "passed although expected to fail", "frames": []})

        def addSubTest(self, test, subtest, err):
            if err is not None:
                self._tell(subtest, "failed", err=err)
            super().addSubTest(test, subtest, err)

    return StrobeResult


def _chosen(suite, ids):
    """The same suites with only these tests, or those of these classes and modules; what could not be loaded stays."""
    kept = unittest.TestSuite()
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            kept.addTest(_chosen(test, ids))
        elif _is_meant(test.id(), ids) or type(test).__name__ == "_FailedTest":
            kept.addTest(test)
    return kept


def _is_meant(name, ids):
    return name in ids or any(name.startswith(one + ".") for one in ids)


def _runner_class(writer, ids):
    class StrobeRunner(unittest.TextTestRunner):
        resultclass = _result_class(writer, _Said())

        def run(self, test):
            if ids is not None:
                test = _chosen(test, ids)
            writer.write("expected", count=test.countTestCases())
            writer.write("phase", phase="running")
            return super().run(test)

    return StrobeRunner


def _names(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _names(test)
        elif type(test).__name__ != "_FailedTest":
            yield test


def _list_class(writer):
    """Names the tests without running one."""

    class StrobeList:
        def __init__(self, *args, **kwargs):
            pass

        def run(self, suite):
            for test in _names(suite):
                file, line = _place(test)
                writer.write("finished", id=test.id(), name=test.id(), file=file, line=line,
                             outcome="skipped", durationMs=None, reason="listed")
            return unittest.TestResult()

    return StrobeList


def main():
    writer = Writer(os.environ.pop("STROBE_TEST_REPORT"))
    cache = os.environ.pop("STROBE_PYCACHE", None)
    if cache and sys.pycache_prefix is None:
        sys.pycache_prefix = cache
    only_list = os.environ.pop("STROBE_TEST_LIST", None) is not None
    ids = os.environ.pop("STROBE_TEST_IDS", None)
    sys.path[0] = os.getcwd()  # as `python -m` has it
    writer.write("process", pid=os.getpid())
    writer.write("phase", phase="collecting")
    runner = _list_class(writer) if only_list else _runner_class(writer, None if ids is None else set(json.loads(ids)))
    program = unittest.main(module=None, argv=["python -m unittest"] + sys.argv[1:],
                            testRunner=runner, exit=False)
    writer.write("complete")
    result = program.result
    if getattr(result, "testsRun", 0) == 0 and not getattr(result, "skipped", []) \
            and sys.version_info >= (3, 12) and not only_list and result.wasSuccessful():
        sys.exit(5)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
