"""Module text with def fake(): in it."""
import os


class Barrel(Base):
    """A barrel.

def fake():
    """

    size = 3

    @property
    def litres(self) -> int:
        # def not_this():
        return self._litres

    async def fill(
        self,
        litres,
    ):
        text = "class X:"
        return text


def main():
    """Only a text."""


if __name__ == "__main__":
    main()
