# Runs inside gdb: what each call of the functions in `wanted` was given, as one line of JSON, while the program runs to its end.
# A value is a tree: {"kind": …} for leaves, {"members": {…}} and {"items": […]} for what is made of others.
import json
import re

# Objects behind pointers are looked at so far.
DEEPEST = 3


def text_of(kind, place, length):
    letters = place.cast(gdb.lookup_type(kind).pointer())
    return {'kind': 'text', 'text': bytes(int(letters[i]) & 255 for i in range(length)).decode('utf8', 'replace')}


def row(place, element, length, depth):
    start = place.cast(element.pointer())
    return {'items': [tree(start[i], depth) for i in range(length)]}


def named(value, name):
    """The first member with this name, however deep inside."""
    for field in value.type.strip_typedefs().fields():
        if not hasattr(field, 'bitpos'):
            continue
        if field.name == name and not field.is_base_class:
            return value[field]
        if field.type.strip_typedefs().code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            inner = named(value[field], name)
            if inner is not None:
                return inner
    return None


def pointer_in(value):
    """What RawVec, Unique and NonNull lead to."""
    while value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
        found = named(value, 'pointer')
        if found is None:
            return None
        value = found
    return value


def llvm_text(value):
    """The first bit tells whether it lies elsewhere; LLVM 15 gave that bit a name."""
    short, long = named(value, '__s'), named(value, '__l')
    # Clang describes it only where it is made.
    if short is None:
        return {'kind': 'library'}
    bit = named(short, '__is_long_')
    first = int(named(short, '__size_'))
    if bit is not None and int(bit) or bit is None and first & 1:
        return text_of('char', long['__data_'], int(long['__size_']))
    return text_of('char', short['__data_'].address, first if bit is not None else first >> 1)


def library(value, name, depth):
    """Types of libraries gdb has no printers for; None: it is none."""
    if re.match(r'std::__1::basic_string<char,', name):
        return llvm_text(value)
    if re.match(r'std::__1::vector<(?!bool)', name):
        begin, end = named(value, '__begin_'), named(value, '__end_')
        if end is None or end.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            return {'kind': 'library'}
        return row(begin, begin.type.target(), int(end - begin), depth)
    if name.startswith('std::__1::array<'):
        return tree(value['__elems_'], depth)
    if name == 'alloc::string::String':
        return text_of('u8', pointer_in(value['vec']['buf']), int(value['vec']['len']))
    if name.startswith('alloc::vec::Vec<'):
        return row(pointer_in(value['buf']), value.type.template_argument(0), int(value['len']), depth)
    if name == '&str':
        return text_of('u8', value['data_ptr'], int(value['length']))
    if name.startswith('&[') or name.startswith('&mut ['):
        return row(value['data_ptr'], value['data_ptr'].type.target(), int(value['length']), depth)
    if re.match(r'(std|alloc|hashbrown)::|core::(?!option|result)|&(dyn |std::|core::)|alloc::boxed::Box<', name):
        return {'kind': 'library'}
    return None


def printed(value, printer, depth):
    text = printed_text(printer)
    if text is not None:
        return text
    if not hasattr(printer, 'children'):
        return {'kind': 'library'}
    items = [tree(child, depth) for _, child in printer.children()]
    is_row = getattr(printer, 'display_hint', lambda: None)() in ('array', 'map')
    return {'pairs' if printer.display_hint() == 'map' else 'items': items} if is_row else {'kind': 'library'}


def pointer_of(value, depth):
    address = int(value)
    leaf = {'kind': 'pointer', 'address': hex(address)}
    if not address or depth == 0:
        return leaf
    target = value.type.strip_typedefs().target().strip_typedefs()
    if is_char(target):
        return {'kind': 'text', 'text': value.string()}
    if target.code in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC):
        return leaf
    return dict(leaf, to=tree(value.dereference(), depth - 1))


def array_of(value, depth):
    low, high = value.type.range()
    element = value.type.target().strip_typedefs()
    if is_char(element):
        return text_in_array(value, high)
    return {'items': [tree(value[i], depth) for i in range(low, high + 1)]}


def members_of(value, found, depth):
    for field in value.type.strip_typedefs().fields():
        if not hasattr(field, 'bitpos') or (field.name or '').startswith('_vptr'):
            continue
        if field.is_base_class or not field.name:
            members_of(value[field], found, depth)
        else:
            found[field.name] = tree(value[field], depth)
    return found


def variant_of(value, depth):
    """Rust's enumerations: gdb gives them a member without a name and the one that is meant."""
    chosen = value.type.fields()[-1]
    members = members_of(value[chosen], {}, depth)
    return {'variant': chosen.name, 'members': members}


def leaf_of(value, kind):
    if kind.code == gdb.TYPE_CODE_ENUM:
        return {'kind': 'name', 'text': re.sub(r'[()\s]', '', value.format_string()), 'number': str(int(value))}
    return {'kind': 'library'} if kind.code == gdb.TYPE_CODE_COMPLEX else number_of(value, kind)


def tree(value, depth):
    leaf = known_leaf(value)
    if leaf is not None:
        return leaf
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return tree(value.referenced_value(), depth)
    printer = gdb.default_visualizer(value)
    if printer is not None:
        return printed(value, printer, depth)
    if kind.code == gdb.TYPE_CODE_PTR:
        return pointer_of(value, depth)
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return array_of(value, depth)
    if kind.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return leaf_of(value, kind)
    known = library(value, kind.name or '', depth)
    if known is not None:
        return known
    if kind.dynamic and value.address is None:
        # gdb 13 ends with an internal error when it looks into one that is not in memory.
        return {'kind': 'none'}
    fields = value.type.fields()
    if fields and fields[0].name is None and fields[0].artificial:
        return variant_of(value, depth)
    return {'members': members_of(value, {}, depth)}


def is_behind_frame(symbol, frame):
    """Whether its place is told by rsp as it is once the frame is made (LLVM 14, optimised): before, gdb shows what lies elsewhere."""
    is_first = frame.pc() == int(frame.function().value().address)
    return is_first and 'at frame base reg $rsp' in gdb.execute(f'info address {symbol.name}', to_string=True)


def argument_of(symbol, frame):
    if is_behind_frame(symbol, frame):
        return {'kind': 'none', 'why': 'the frame is not made yet'}
    try:
        return tree(symbol.value(frame), DEEPEST)
    # What is raised here stops the program.
    except Exception as error:
        return {'kind': 'none', 'why': str(error)}


calls = []


class Entry(gdb.Breakpoint):
    def stop(self):
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        given = {}
        block = frame.block()
        while block.function is None:
            block = block.superblock
        for symbol in block:
            if symbol.is_argument:
                given[symbol.name] = argument_of(symbol, frame)
        calls.append({'name': self.location, 'arguments': given})
        return False


for name in wanted:
    Entry(name)
gdb.execute('run > /dev/null')
print('CALLS ' + json.dumps(calls))
