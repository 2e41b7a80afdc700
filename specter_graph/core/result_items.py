"""Results that are the sequence of their items: you can iterate over, index and slice them."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Item_co = TypeVar("Item_co", covariant=True)


class ResultItems(Sequence[Item_co]):
    """A result that is the sequence of its items."""

    __slots__ = ()

    @abstractmethod
    def _items(self) -> list[Item_co]: ...

    @overload
    def __getitem__(self, index: int) -> Item_co: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item_co]: ...
    def __getitem__(self, index: int | slice) -> Item_co | list[Item_co]:
        return self._items()[index]

    def __iter__(self) -> Iterator[Item_co]:
        return iter(self._items())

    def __len__(self) -> int:
        return len(self._items())
