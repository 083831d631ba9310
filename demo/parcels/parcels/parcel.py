"""What is asked and what is answered."""

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True)
class Parcel:
    id: str
    zone: str
    grams: int
    fragile: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Extra:
    name: str
    price: Decimal


@dataclass
class Rate:
    zone: str
    up_to_grams: int
    price: Decimal
    extras: list[Extra] = field(default_factory=list)


@dataclass(frozen=True)
class Quote:
    parcel: Parcel
    total: Decimal
    extras: tuple[str, ...]
