"""Hands tables and arrays to `take`, and prints what they hold, as the packages themselves say it."""

import json
import sys

import numpy
import pandas


def take(value):
    return None


def plain(value):
    if isinstance(value, numpy.generic):
        value = value.item()
    if value is pandas.NA or value is pandas.NaT or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def told(elements):
    return [plain(element) for element in elements]


def moments(array):
    return [str(one).split('.')[0] for one in numpy.asarray(array, dtype='M8[ns]')]


prices = [1.5, 2.5, float('nan'), 4.0, 5.0, 6.0, 7.0, 8.0]
frame = pandas.DataFrame(
    {
        'id': range(1, 9),
        'price': prices,
        'name': list('abcdefgh'),
        'kind': pandas.Categorical(list('xyxyxyxz')),
        'fits': [True] * 8,
    }
)
part = frame[frame.id > 3][['fits', 'id']]
dates = pandas.date_range('2026-01-01', periods=3)
pairs = pandas.MultiIndex.from_tuples([(1, 'a'), (2, 'b')], names=['one', 'two'])
records = numpy.array([(1, 2.5, 'ab'), (2, 3.5, 'c')], dtype=[('id', 'i4'), ('price', 'f8'), ('tag', 'U4')])
cases = [
    (frame, [{name: told(frame[name].head(5)) for name in frame.columns}, list(frame.shape)]),
    (part, [{name: told(part[name].head(5)) for name in part.columns}, list(part.shape), told(part.index)]),
    (frame['price'], [told(frame['price']), 'price']),
    (frame['kind'], [told(frame['kind']), 'kind']),
    (frame.index, told(frame.index)),
    (frame.columns, told(frame.columns)),
    (frame.set_index('name').index, [told('abcdefgh'), 'name']),
    (pairs, told(pairs)),
    (dates, moments(dates)),
    (pandas.Series(dates), moments(dates)),
    (pandas.Series([1, None, 3], dtype='Int64'), [1, None, 3]),
    (pandas.Series(['a', 'b'], index=[5, 9]), [['a', 'b'], [5, 9]]),
    (pandas.DataFrame({1: [1.5]}), [{'1': [1.5]}, [1, 1]]),
    (numpy.array(['2026-05-03T10:00', 'NaT'], dtype='M8[m]'), ['2026-05-03T10:00', 'NaT']),
    (numpy.datetime64('1600-02-29'), '1600-02-29'),
    (numpy.array([5, -3], dtype='m8[D]'), ['5 days', '-3 days']),
    (numpy.array([1 + 2j, 3j]), ['(1+2j)', '3j']),
    (0.1 - 1e-20j, '(0.1-1e-20j)'),
    (records, [{name: plain(record[name]) for name in records.dtype.names} for record in records]),
    (records[1], {name: plain(records[1][name]) for name in records.dtype.names}),
    (numpy.arange(4, dtype='>i2').reshape(2, 2)[::-1], [2, 3, 0, 1]),
]
for value, expected in cases:
    take(value)
    print(json.dumps(expected))
print(pandas.__version__, numpy.__version__, file=sys.stderr)
