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
take(decimal.Decimal('1.10'))
take(datetime.date(2026, 5, 3))
take(pathlib.Path('/a/b'))
