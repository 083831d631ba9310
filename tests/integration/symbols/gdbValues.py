# Runs inside gdb: every parameter and local of the frames whose source lies in one folder, as one line of JSON.
# A value is a tree: {"kind": …} for leaves, {"members": {…}} and {"items": […]} for what is made of others.
import json


def pointer_of(value):
    address = int(value)
    target = value.type.strip_typedefs().target().strip_typedefs() if value.type.code == gdb.TYPE_CODE_PTR else None
    if address and target is not None and is_char(target):
        return {'kind': 'text', 'text': value.string()}
    return {'kind': 'pointer', 'address': hex(address)}


def array_of(value):
    low, high = value.type.strip_typedefs().range()
    element = value.type.strip_typedefs().target().strip_typedefs()
    if is_char(element):
        return text_in_array(value, high)
    if element.name == 'wchar_t':
        letters = [chr(int(value[i])) for i in range(low, high + 1)]
        return {'kind': 'text', 'text': ''.join(letters).split('\0')[0]}
    return {'items': [tree(value[i]) for i in range(low, high + 1)]}


def members_of(value, found):
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class or not field.name:
            members_of(value[field], found)
        elif hasattr(field, 'bitpos') and not field.name.startswith('_vptr'):
            found[field.name] = tree(value[field])
    return found


def printed(value, printer):
    return printed_text(printer) or {'items': [tree(child) for _, child in printer.children()]}


def tree(value):
    leaf = known_leaf(value)
    if leaf is not None:
        return leaf
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return {'kind': 'pointer', 'address': hex(int(value.referenced_value().address))}
    printer = gdb.default_visualizer(value)
    if printer is not None:
        return printed(value, printer)
    if kind.code == gdb.TYPE_CODE_PTR:
        return pointer_of(value)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return array_of(value)
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return {'members': members_of(value, {})}
    return number_of(value, kind)


def variables_of(frame):
    found = {}
    block = frame.block()
    while block is not None:
        for symbol in block:
            if (symbol.is_argument or symbol.is_variable) and symbol.name not in found and symbol.addr_class != gdb.SYMBOL_LOC_STATIC:
                try:
                    found[symbol.name] = tree(symbol.value(frame))
                except (gdb.error, gdb.MemoryError) as error:
                    found[symbol.name] = {'kind': 'none', 'why': str(error)}
        if block.function is not None:
            break
        block = block.superblock
    return found


frames = []
frame = gdb.newest_frame()
while frame is not None:
    place = frame.find_sal()
    if place.symtab is not None and '/targets/crash/' in place.symtab.filename:
        frames.append({'name': frame.name(), 'line': place.line, 'variables': variables_of(frame)})
    frame = frame.older()
print('FRAMES ' + json.dumps(frames))
