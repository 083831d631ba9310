"""The Python side of a Frida host: frames on stdin and stdout as src/protocol/host.ts declares.

Started as `python3 -I -S sidecar.py <folder that holds the frida package>`; it serves one session,
and may hold several of its processes.
Needs Python 3.8. It ends when its stdin ends and it stands in no program.
"""

import __future__
import importlib.machinery as machinery
import json
import os
import queue
import struct
import sys
import threading
import time

WIRE_VERSION = 1
ATTACH_ATTEMPTS = 6
LEAVE_SECONDS = 25
GONE = "The process has ended, or Strobe has left it."

# Only frames may go to stdout: whatever prints (Frida included) is led to stderr.
OUT = os.dup(1)
os.dup2(2, 1)
OUT_LOCK = threading.Lock()


def send(head, data=None):
    text = json.dumps(head).encode()
    body = struct.pack("<I", len(text)) + text + (data or b"")
    frame = memoryview(struct.pack("<I", len(body)) + body)
    with OUT_LOCK:
        while frame:
            try:
                frame = frame[os.write(OUT, frame):]
            except OSError:
                return  # the daemon is gone, as the end of stdin tells


def read_exactly(stream, count):
    data = stream.read(count)
    if data is None or len(data) < count:
        raise EOFError
    return data


def refused_by_system(pid, error):
    """What an error means where the system does not let a process be traced (native/host/calls.c); else the error."""
    if "ptrace" not in str(error):
        return error
    tracer = tracer_of(pid)
    if tracer == 0:
        return Refusal("PTRACE_DENIED", f"the system does not allow process {pid} to be traced")
    return Refusal("ALREADY_OBSERVED", f"Process {pid} is traced by {name_of(tracer)} (process {tracer}).")


def tracer_of(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("TracerPid:")), 0)
    except OSError:
        return 0


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as name:
            return name.read().strip()
    except OSError:
        return "a debugger"


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


SYSTEM_CALLS = {
    "x86_64": {"ptrace": 101, "execve": 59, "execveat": 322, "seccomp": 317},
    "aarch64": {"ptrace": 117, "execve": 221, "execveat": 281, "seccomp": 277},
}


def system_call_number(name):
    """None on a processor that is not known, where no filter is installed."""
    return SYSTEM_CALLS.get(os.uname().machine, {}).get(name)


def forbid_seizing(pid):
    """Takes from this process the right to stop process `pid` by ptrace again.

    When the connection to a target ends, Frida seizes the process to free its memory there by a
    call of munmap at the address it had. After an exec that is another program, which then dies of
    it; and when this process ends in the middle of it, the program dies too. What is seized already can still be let go. Without ctypes or seccomp nothing changes. Filters
    add up; they cost time in ptrace alone, as the kernel remembers which system calls they let pass.
    """
    load, equal, give, denied, allowed = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000  # EPERM
    system_call, request, subject = 0, 16, 24
    ptrace, attach, seize = system_call_number("ptrace"), 16, 0x4206
    return install_filter((
        (load, 0, 0, system_call),
        (equal, 0, 5, ptrace),
        (load, 0, 0, subject),
        (equal, 0, 3, pid),
        (load, 0, 0, request),
        (equal, 2, 0, attach),
        (equal, 1, 0, seize),
        (give, 0, 0, allowed),
        (give, 0, 0, denied),
    ))


def forbid_programs():
    """
    From here on this process starts no program. Frida would start `idund`, its helper for devices
    on USB, which outlives every Frida process and which nothing here needs.
    """
    load, equal, give, denied, allowed = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000  # EPERM
    execve, execveat = system_call_number("execve"), system_call_number("execveat")
    return install_filter((
        (load, 0, 0, 0),
        (equal, 2, 0, execve),
        (equal, 1, 0, execveat),
        (give, 0, 0, allowed),
        (give, 0, 0, denied),
    ))


def install_filter(steps):
    """A seccomp filter for all threads of this process; False where there is none."""
    seccomp = system_call_number("seccomp")
    if seccomp is None:
        return False
    try:
        import ctypes
        libc = ctypes.CDLL(None)
        code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
        program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(code)))
        no_new_privileges, set_filter, all_threads = 38, 1, 1
        libc.prctl(no_new_privileges, 1, 0, 0, 0)
        return libc.syscall(seccomp, ctypes.c_ulong(set_filter), ctypes.c_ulong(all_threads), program) == 0
    except (ImportError, OSError):
        return False


class Worker:
    """Does what is put in, one after the other, on a thread of its own."""

    ending = False

    def __init__(self):
        self.tasks = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    def put(self, task):
        self.tasks.put(task)

    def _run(self):
        while True:
            task = self.tasks.get()
            if task is None or Worker.ending:
                return
            task()


class Host:
    def __init__(self, frida):
        self.frida = frida
        self.device = frida.get_local_device()
        self.sessions = {}
        self.scripts = {}
        self.last = 0
        self.pids = {}
        self.let_go = set()
        self.lock = threading.Lock()
        self.inside = threading.Lock()
        self.control = Worker()

    def number(self):
        with self.lock:
            self.last += 1
            return self.last

    def take(self, head, data):
        """Calls of one script are served in order; what controls a session never waits for them."""
        worker = self.control
        if head["op"] in ("call", "post"):
            entry = self.scripts.get(head["script"])
            if entry is None:
                send({"id": head["id"], "error": {"code": "SESSION_ENDED", "message": GONE}})
                return
            worker = entry["worker"]
        elif head["op"] == "detach":
            # Ends a load or attach that hangs, so it must not stand in line behind it.
            worker = Worker()
            worker.put(lambda: self.answer(head, data))
            worker.put(None)
            return
        worker.put(lambda: self.answer(head, data))

    def answer(self, head, data):
        try:
            result = getattr(self, "op_" + head["op"])(head, data)
            value, payload = result if isinstance(result, tuple) else (result, None)
            send({"id": head["id"], "ok": value}, payload)
        except Exception as error:  # every failure is an answer
            send({"id": head["id"], "error": {"code": self.code_of(error), "message": describe(error)}})

    def code_of(self, error):
        frida = self.frida
        if isinstance(error, Refusal):
            return error.code
        if isinstance(error, frida.PermissionDeniedError):
            return "PTRACE_DENIED"
        if isinstance(error, frida.ProcessNotFoundError):
            return "SESSION_ENDED"
        if isinstance(error, frida.InvalidOperationError) and "destroyed" in str(error):
            return "SESSION_ENDED"
        return "INSTRUMENTATION_FAILED"

    def attach(self, pid):
        """A process that forks at this moment (a busy shell), or a thread of which ends, makes Frida fail, which passes."""
        for attempt in range(ATTACH_ATTEMPTS):
            try:
                # Its hooks of abort and exit replace return addresses: a stack would end there for every unwinder.
                with self.inside:
                    return self.device.attach(pid, exit_monitor=False)
            except (self.frida.TransportError, self.frida.ProcessNotFoundError, self.frida.NotSupportedError) as error:
                if attempt == ATTACH_ATTEMPTS - 1 or not os.path.exists(f"/proc/{pid}"):
                    raise refused_by_system(pid, error) from None
                time.sleep(0.05)

    def leave(self):
        """An attach makes the target run calls of Frida's: it dies of them when this process ends meanwhile."""
        Worker.ending = True
        self.inside.acquire(timeout=LEAVE_SECONDS)

    def op_attach(self, head, _data):
        if head["pid"] in self.let_go:
            raise Refusal("INSTRUMENTATION_FAILED", "a host that loaded an agent into a process does not attach to it again")
        thread = head.get("thread")
        session = self.attach(head["pid"] if thread is None else thread)
        number = self.number()
        self.pids[number] = head["pid"] if thread is None else thread
        self.sessions[number] = session
        session.on("detached", lambda reason, _crash=None: self.detached(number, reason))
        if session.is_detached:
            raise Refusal("SESSION_ENDED", "the process ended while it was attached to")
        return number

    def detached(self, number, reason):
        self.sessions.pop(number, None)
        for key, entry in list(self.scripts.items()):
            if entry["session"] == number:
                self.scripts.pop(key, None)
                entry["worker"].put(None)
        send({"event": "detached", "session": number, "reason": str(reason)})

    def session(self, number):
        session = self.sessions.get(number)
        if session is None:
            raise Refusal("SESSION_ENDED", "the process is no longer attached to")
        return session

    def op_load(self, head, data):
        session = head["session"]
        self.session(session)
        pid = self.pids[session]
        if pid not in self.let_go and forbid_seizing(pid):
            self.let_go.add(pid)
        script = self.session(session).create_script(data.decode(), name="strobe")
        number = self.number()
        place = {"session": session, "script": number}
        broken = []
        loading = True

        def on_message(message, payload):
            if message["type"] == "error":
                text = message.get("stack") or message.get("description") or "unknown error"
                if loading:
                    broken.append(text)
                else:
                    send(dict(place, event="log", level="warn", text=text))
            else:
                send(dict(place, event="message", payload=message.get("payload")), payload)

        def on_log(level, text):
            shown = "warn" if level in ("warning", "error") else "debug"
            send(dict(place, event="log", level=shown, text=text))

        script.on("message", on_message)
        script.set_log_handler(on_log)
        script.load()
        loading = False
        if broken:
            script.unload()
            raise Refusal("INSTRUMENTATION_FAILED", "the agent failed while loading: " + broken[0])
        self.scripts[number] = {"script": script, "session": session, "worker": Worker()}
        return number

    def script(self, number):
        entry = self.scripts.get(number)
        if entry is None:
            raise Refusal("SESSION_ENDED", "the agent is no longer loaded")
        return entry["script"]

    def op_call(self, head, data):
        args = list(head["args"])
        if data:
            args.append(data)
        result = getattr(self.script(head["script"]).exports_sync, head["method"])(*args)
        if isinstance(result, bytes):
            return None, result
        return result

    def op_post(self, head, data):
        self.script(head["script"]).post(head["message"], data or None)

    def op_detach(self, head, _data):
        session = self.sessions.get(head["session"])
        if session is not None:
            session.detach()

    def op_resume(self, head, _data):
        self.device.resume(head["pid"])


def describe(error):
    text = str(error) or type(error).__name__
    if type(error).__name__ == "InvalidOperationError" and "destroyed" in text:
        return GONE
    if type(error).__module__.startswith("frida") or isinstance(error, Refusal):
        return text
    return "%s: %s" % (type(error).__name__, text)


class LazyAnnotations(machinery.SourceFileLoader):
    """Frida 17.25 annotates with list["Device"], which Python 3.8 cannot evaluate."""

    def get_code(self, fullname):
        flags = __future__.annotations.compiler_flag
        return compile(self.get_data(self.path), self.path, "exec", flags=flags, dont_inherit=True)


def import_frida(folder):
    if sys.version_info < (3, 9):
        extensions = (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES)
        finder = machinery.FileFinder.path_hook(extensions, (LazyAnnotations, machinery.SOURCE_SUFFIXES))
        sys.path_hooks.insert(0, finder)
    sys.path.insert(0, folder)
    import frida
    return frida


def main():
    forbid_programs()
    try:
        frida = import_frida(sys.argv[1])
        host = Host(frida)
    except Exception as error:
        send({"event": "unusable", "reason": "%s: %s" % (type(error).__name__, error)})
        return
    send({"event": "ready", "version": WIRE_VERSION, "frida": frida.__version__})
    stream = sys.stdin.buffer
    try:
        while True:
            (length,) = struct.unpack("<I", read_exactly(stream, 4))
            body = read_exactly(stream, length)
            (head_length,) = struct.unpack_from("<I", body)
            host.take(json.loads(body[4:4 + head_length]), body[4 + head_length:])
    except EOFError:
        host.leave()


try:
    main()
finally:
    # Frida's own threads would hold an orderly exit up.
    os._exit(0)
