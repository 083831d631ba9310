# Runs inside gdb: at chosen arrivals at chosen places of a program, its stack with the variables of each frame, a line of JSON each.
# STROBE_PLAN: a file of JSON: {"places": [[module, offset, [arrival, …]], …], "out": file}.
import json
import os

plan = json.load(open(os.environ['STROBE_PLAN']))
out = open(plan['out'], 'w')
# Frames whose variables are told.
DEEPEST = 8


def leaf(value):
    """What it is, or None for what is made of others."""
    if value.is_optimized_out:
        return {'kind': 'absent'}
    kind = value.type.strip_typedefs()
    code = kind.code
    try:
        if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            return {'kind': 'pointer', 'value': hex(int(value.address))}
        if code == gdb.TYPE_CODE_PTR:
            return {'kind': 'pointer', 'value': hex(int(value) & (1 << 64) - 1)}
        if code == gdb.TYPE_CODE_BOOL:
            return {'kind': 'number', 'value': str(int(value))}
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
            return {'kind': 'number', 'value': str(int(value))}
        if code == gdb.TYPE_CODE_ENUM:
            return {'kind': 'enum', 'value': str(value).split('::')[-1], 'number': str(int(value))}
        if code == gdb.TYPE_CODE_FLT:
            return {'kind': 'float', 'value': float(value)} if kind.sizeof <= 8 else None
        value.fetch_lazy()
    except gdb.MemoryError:
        return {'kind': 'absent'}
    except gdb.error:
        return {'kind': 'absent'}
    return None


def variables(frame):
    """By name, those of inner blocks before those of outer ones."""
    found = {}
    try:
        block = frame.block()
    except RuntimeError:
        return found
    while block and not block.is_global and not block.is_static:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument) or symbol.name in found:
                continue
            if not symbol.is_argument and symbol.line >= frame.find_sal().line:
                # What is declared in this line or behind it may be memory that nothing has set.
                found[symbol.name] = {'kind': 'absent', 'why': 'not set yet'}
                continue
            try:
                value = symbol.value(frame) if symbol.needs_frame else symbol.value()
                found[symbol.name] = leaf(value) or {'kind': 'made'}
            except gdb.error as error:
                found[symbol.name] = {'kind': 'absent', 'why': str(error)}
        if block.function:
            break
        block = block.superblock
    return found


def stack():
    frames = []
    frame = gdb.newest_frame()
    while frame is not None and len(frames) < 60:
        sal = frame.find_sal()
        symbol = frame.function()
        frames.append({
            'pc': hex(frame.pc()),
            'function': frame.name(),
            'isInlined': frame.type() == gdb.INLINE_FRAME,
            'hasDebugInformation': symbol is not None and sal.symtab is not None,
            'file': sal.symtab.fullname() if sal.symtab else None,
            'line': sal.line if sal.symtab else None,
            'functionFile': symbol.symtab.fullname() if symbol is not None else None,
            'variables': variables(frame) if symbol is not None and len(frames) < DEEPEST else None,
        })
        frame = frame.older()
    return frames


class Place(gdb.Breakpoint):
    def __init__(self, number, address, arrivals):
        super().__init__('*%#x' % address, internal=True)
        self.silent = True
        self.place = number
        self.arrivals = set(arrivals)
        self.count = 0

    def stop(self):
        self.count += 1
        is_main = gdb.selected_thread().ptid[0] == gdb.selected_thread().ptid[1]
        if self.count in self.arrivals or not is_main:
            frames = stack() if is_main else []
            out.write(json.dumps({'place': self.place, 'arrival': self.count, 'isMain': is_main, 'frames': frames}) + '\n')
            out.flush()
        return False


def base_of(module, pid):
    for line in open('/proc/%d/maps' % pid):
        if line.rstrip().endswith(module):
            return int(line.split('-')[0], 16)
    return None


gdb.execute('set pagination off')
gdb.execute('set confirm off')
gdb.execute('set breakpoint pending off')
gdb.execute('set disable-randomization ' + ('off' if os.environ['STROBE_RANDOMIZATION'] == 'on' else 'on'))
gdb.execute('starti > /dev/null')
pid = gdb.selected_inferior().pid
for number, (module, offset, arrivals) in enumerate(plan['places']):
    Place(number, base_of(module, pid) + offset, arrivals)
gdb.execute('continue')
out.close()
