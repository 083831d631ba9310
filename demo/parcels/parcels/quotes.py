"""What a parcel costs."""

from decimal import Decimal

from .parcel import Extra, Parcel, Quote, Rate
from .rates import Rates
from .store import Store


class Quoter:
    def __init__(self, rates: Rates, store: Store):
        self._rates = rates
        self._store = store

    async def quote(self, parcel: Parcel) -> Quote:
        rate = await self._rates.rate_for(parcel.zone, parcel.grams)
        extras = self.extras_of(parcel, rate)
        quote = Quote(parcel, total_of(rate, extras), tuple(extra.name for extra in extras))
        self._store.keep(quote)
        return quote

    def extras_of(self, parcel: Parcel, rate: Rate) -> list[Extra]:
        extras = rate.extras
        if parcel.fragile:
            extras += [self._store.extra("fragile")]
        if parcel.signed:
            extras = extras + [self._store.extra("signature")]
        return extras


def total_of(rate: Rate, extras: list[Extra]) -> Decimal:
    return rate.price + sum((extra.price for extra in extras), Decimal(0))
