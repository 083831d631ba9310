"""gdb at addresses of a program: JSON of what each stop saw. $PLACES: a JSON list of addresses, $SAID: the file for it."""
import json
import os

import gdb

numbers = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM)
hits = []


def shown(value):
    if value.is_optimized_out:
        return {"absent": True}
    kind = value.type.strip_typedefs()
    if kind.code in numbers:
        return {"number": str(int(value))}
    if kind.code == gdb.TYPE_CODE_FLT:
        return {"decimal": float(value)}
    if kind.code == gdb.TYPE_CODE_PTR:
        return {"address": str(int(value))}
    return {"other": True}


class Place(gdb.Breakpoint):
    def stop(self):
        frame = gdb.newest_frame()
        block = frame.block()
        line = frame.find_sal().line
        values = {}
        while block is not None:
            for symbol in block:
                if not (symbol.is_variable or symbol.is_argument) or symbol.name in values:
                    continue
                # Memory that was not written yet is not the same in two runs.
                if symbol.is_variable and not symbol.is_argument and symbol.line >= line:
                    values[symbol.name] = {"other": True}
                else:
                    try:
                        values[symbol.name] = shown(symbol.value(frame))
                    except (gdb.error, gdb.MemoryError):
                        values[symbol.name] = {"absent": True}
            if block.function is not None:
                break
            block = block.superblock
        hits.append({"line": "0x%x" % frame.pc(), "values": values})
        return False


gdb.execute("set confirm off")
gdb.execute("set pagination off")
for address in json.loads(os.environ["PLACES"]):
    Place("*" + address)
gdb.execute("run < " + os.environ["INPUT"] + " > /dev/null")
with open(os.environ["SAID"], "w") as file:
    json.dump(hits, file)
