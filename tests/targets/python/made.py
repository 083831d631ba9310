import dataclasses

made = {}
exec(
    'def subtract(a, b=2):\n'
    '    return a - b\n'
    'class Ruler:\n'
    '    def measure(self, length):\n'
    '        return length * 2\n',
    made,
)


@dataclasses.dataclass
class Point:
    x: int


made['subtract'](9)
made['subtract'](9, 3)
made['Ruler']().measure(4)
Point(1)
eval('lambda q: q')(1)
