# Runs inside gdb, before the scripts of tests: what a value without parts is, as they write it.


def number_of(value, kind):
    if kind.code == gdb.TYPE_CODE_FLT and kind.sizeof <= 8:
        return {'kind': 'number', 'text': repr(float(value))}
    # Python numbers are made of 8 bytes at most.
    return {'kind': 'number', 'text': value.format_string() if kind.sizeof > 8 else str(int(value))}


def known_leaf(value):
    """Of what a printer made itself, or what is optimised out; None: gdb has a value."""
    if isinstance(value, (bool, int)):
        return {'kind': 'number', 'text': str(int(value))}
    return {'kind': 'none'} if value.is_optimized_out else None


def printed_text(printer):
    """None: it is no printer of text."""
    if not hasattr(printer, 'display_hint') or printer.display_hint() != 'string':
        return None
    text = printer.to_string()
    return {'kind': 'text', 'text': text.value().string(length=text.length) if hasattr(text, 'value') else text}


def is_char(kind):
    return kind.code == gdb.TYPE_CODE_INT and kind.name == 'char'


def text_in_array(value, last):
    return {'kind': 'text', 'text': value.string(length=last + 1).split('\0')[0]}
