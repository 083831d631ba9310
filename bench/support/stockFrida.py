"""Runs a program under Frida's own Interceptor listeners: stockFrida.py RUNTIME KIND PROGRAM ARGUMENTS."""
import glob
import sys
import threading

runtime, kind, *command = sys.argv[1:]
for folder in [runtime, *glob.glob(runtime + "/**/site-packages", recursive=True)]:
    sys.path.insert(0, folder)
for found in glob.glob(runtime + "/**/frida/__init__.py", recursive=True):
    sys.path.insert(0, found.rsplit("/frida/", 1)[0])
import frida  # noqa: E402

LISTENERS = {
    "cmodule": """
      const module = new CModule(`
        #include <gum/guminterceptor.h>
        void onEnter(GumInvocationContext * ic) {
          volatile gpointer a = gum_invocation_context_get_nth_argument(ic, 0);
          volatile gpointer b = gum_invocation_context_get_nth_argument(ic, 1);
        }
        void onLeave(GumInvocationContext * ic) {
          volatile gpointer r = gum_invocation_context_get_return_value(ic);
        }`);
      globalThis.kept = module;
      Interceptor.attach(DebugSymbol.fromName('mix').address, module);
    """,
    "javascript": """
      let sum = 0;
      Interceptor.attach(DebugSymbol.fromName('mix').address, {
        onEnter(args) { sum += args[0].toUInt32() + args[1].toUInt32(); },
        onLeave(result) { sum += result.toUInt32(); },
      });
    """,
}

device = frida.get_local_device()
ended = threading.Event()
pid = device.spawn(command, stdio="pipe")


def on_output(source, stream, data):
    if source == pid and stream == 1:
        sys.stdout.write(data.decode())


device.on("output", on_output)
session = device.attach(pid)
session.on("detached", lambda *_: ended.set())
script = session.create_script(LISTENERS[kind] + "Interceptor.flush();")
script.load()
device.resume(pid)
if not ended.wait(110):
    device.kill(pid)
    sys.exit("the program did not end")
sys.stdout.flush()
