"""The price list and the quotes that were given, in SQLite."""

import asyncio
import sqlite3
from decimal import Decimal

from .parcel import Extra, Quote, Rate

SCHEMA = """
create table rates (zone text, up_to_grams integer, cents integer);
create table extras (name text primary key, cents integer, zone text);
create table quotes (parcel text primary key, zone text, grams integer, fragile integer, signed integer, cents integer);
insert into rates values ('city', 500, 290), ('city', 2000, 490), ('city', 10000, 890),
  ('country', 500, 390), ('country', 2000, 690), ('country', 10000, 1290),
  ('island', 500, 690), ('island', 2000, 1190), ('island', 10000, 1990);
insert into extras values ('fragile', 250, null), ('signature', 180, null), ('ferry', 320, 'island'), ('fuel', 40, 'country');
"""


def cents(amount: Decimal) -> int:
    return int(amount * 100)


def amount(value: int) -> Decimal:
    return Decimal(value) / 100


class Store:
    def __init__(self, path: str = ":memory:"):
        self._connection = sqlite3.connect(path)
        self._connection.executescript(SCHEMA)

    async def rate(self, zone: str, grams: int) -> Rate:
        """The cheapest rate that carries so much, with what is always added in its zone."""
        await asyncio.sleep(0.002)  # The price list lives on another machine.
        found = self._connection.execute(
            "select up_to_grams, cents from rates where zone = ? and up_to_grams >= ? order by up_to_grams",
            (zone, grams),
        ).fetchone()
        if found is None:
            raise LookupError(f"no rate for {grams} g to zone {zone}")
        always = self._connection.execute("select name, cents from extras where zone = ?", (zone,))
        extras = [Extra(name, amount(price)) for name, price in always]
        return Rate(zone, found[0], amount(found[1]), extras)

    def extra(self, name: str) -> Extra:
        (price,) = self._connection.execute(
            "select cents from extras where name = ?", (name,)
        ).fetchone()
        return Extra(name, amount(price))

    def keep(self, quote: Quote) -> None:
        parcel = quote.parcel
        self._connection.execute(
            "insert into quotes values (?, ?, ?, ?, ?, ?)",
            (parcel.id, parcel.zone, parcel.grams, parcel.fragile, parcel.signed, cents(quote.total)),
        )

    def wrong_quotes(self) -> list[tuple[str, Decimal, Decimal]]:
        """Quotes that differ from the price list: parcel, quoted, right. They are removed."""
        rows = self._connection.execute(
            """
            select parcel, cents, (select min(r.cents) from rates r where r.zone = q.zone and r.up_to_grams >= q.grams)
              + coalesce((select sum(e.cents) from extras e where e.zone = q.zone or
                  (e.name = 'fragile' and q.fragile) or (e.name = 'signature' and q.signed)), 0) as due
            from quotes q where cents <> due
            """
        ).fetchall()
        self._connection.execute("delete from quotes")
        return [(parcel, amount(quoted), amount(due)) for parcel, quoted, due in rows]
