"""typed.py TIMEOUT SHELL [ARG...]: types each line of standard input into an interactive shell at a terminal of its own.

A line is `TEXT => REGEX`; in TEXT \\t and \\r are keys. Waits until what the terminal shows matches REGEX,
then clears the line. Prints each line as `ok` or with what was shown; status 1 where one did not match.
"""
import os
import pty
import re
import select
import sys
import time

limit = float(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])


def shown(pattern):
    """What the terminal shows until it matches; and whether it did."""
    text = ''
    end = time.monotonic() + limit
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.1)
        if ready:
            text += os.read(terminal, 65536).decode(errors='replace')
            # Colours and cursor movements are no text.
            plain = re.sub(r'\x1b(\[[0-9;?]*[A-Za-z]|[=>])', '', text)
            if re.search(pattern, plain):
                return plain, True
    return text, False


failed = 0
for line in sys.stdin.read().splitlines():
    keys, _, pattern = line.partition(' => ')
    os.write(terminal, keys.replace('\\t', '\t').replace('\\r', '\r').encode())
    text, matched = shown(pattern)
    print('ok' if matched else 'NOT', keys if matched else f'{keys}: {text!r}')
    failed += not matched
    os.write(terminal, b'\x15')
os.kill(pid, 9)
os.waitpid(pid, 0)
sys.exit(1 if failed else 0)
