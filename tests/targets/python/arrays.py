import datetime
import decimal
import pathlib

import numpy


def take(value):
    return None


take(numpy.arange(6).reshape(2, 3))
take(numpy.array([1.5, 2.5])[::-1])
take(numpy.array([[True, False]]))
take(numpy.zeros(1000, dtype='int16'))
take(numpy.array(['a']))
take(numpy.array([0.5, -2.0], dtype='float16'))
take(numpy.array([1, 2**63], dtype='uint64'))
take(numpy.array(['ab', 'c']))
take(numpy.array([b'xy']))
take(numpy.array([{'key': 1}, None], dtype=object))
take(numpy.int64(5))
take(numpy.float32(2.5))
take(numpy.array(['2026-05-03T10:00', 'NaT'], dtype='M8[m]'))
take(numpy.datetime64('1969-12-31T23:59:59.500'))
take(numpy.array([5, -3], dtype='m8[D]'))
take(numpy.array([0.1 - 1e-20j]))
take(3 - 4.25j)
take(numpy.array([(1, 2.5, b'ab')], dtype=[('id', 'i4'), ('price', '>f8'), ('tag', 'S4')])[0])
take(type('numpy.ndarray', (), {'__slots__': list('abcdefgh')})())
take(decimal.Decimal('1.10'))
take(datetime.date(2026, 5, 3))
take(pathlib.Path('/a/b'))
