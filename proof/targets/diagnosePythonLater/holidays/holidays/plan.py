from holidays.memo import Memo
from holidays.table import look_up


def free_days(country, years):
    memo = Memo(look_up)
    return sum(memo.get(country, year) for year in years)
