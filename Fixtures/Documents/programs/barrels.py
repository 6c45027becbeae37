"""Barrels for rain water.

def not_a_function():
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

MAXIMUM = {
    "oak": 200,
    "steel": 300,
}


@dataclass(frozen=True)
class Volume:
    """A volume of water."""

    litres: float
    names: list[str] = field(
        default_factory=list,
    )

    def __add__(self, other: Volume) -> Volume:
        return Volume(
            self.litres + other.litres
        )

    @property
    def text(self):
        return f"{self.litres} l"

    class Meta:
        ordering = ["litres"]
        verbose = True

        def inner(self):
            x = """
class Nothing:
"""
            return x


class Barrel(
    object,
    metaclass=type,
):
    def fill(
        self,
        amount: float,
        *,
        log=lambda text: None,
    ) -> None:
        # A comment at the margin of the class
# and one without indentation
        log(amount)

    async def drain(self):
        async with self.lock:
            await self.wait()


@functools.lru_cache(
    maxsize=None
)
def total(
    *values,
):
    def inner(value):
        return value * 2

    return sum(inner(value) for value in values)


if True:

    def conditional(name):
        print(name)
        return name

else:
    conditional = None


def generic[T: int](value: T) -> T:
    match value:
        case 0:
            return value
    return value


handler = lambda event: (
    event,
)

if __name__ == "__main__":
    total(1, 2)
    print("done")
