"""Immutable records, as `typing.NamedTuple` makes them, in classes that cost a tenth of the time to create.

The syntax tree and the intermediate representation have more than a hundred classes. A named tuple's takes about
0.2 ms to create, which every start of the program would pay; one of these takes 0.02 ms. Objects are tuples: they can
be taken apart, compared, hashed and pickled, and cost as much to make and to read.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, ClassVar, Self, dataclass_transform

try:
    # What named tuples use: half the time of a property.
    from _collections import _tuplegetter as _getter  # type: ignore[import-not-found, unused-ignore]
except ImportError:

    def _getter(place: int, doc: str | None) -> property:
        return property(itemgetter(place), doc=doc)


@dataclass_transform(frozen_default=True)
class Record(tuple[Any, ...]):
    """A tuple with named fields: the annotations of the subclass, in order.

    Beware: as with named tuples, records of different classes are equal when their fields are.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(cls.__annotations__)
        setattr(cls, "__match_args__", cls._fields)  # noqa: B010 (type checkers keep this name to themselves)
        for place, name in enumerate(cls._fields):
            setattr(cls, name, _getter(place, None))

    def __new__(cls, *values: Any, **named: Any) -> Self:
        if named or len(values) != len(cls._fields):
            values = cls._ordered(values, named)
        return tuple.__new__(cls, values)

    @classmethod
    def _ordered(cls, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        """All the fields' values, given by place and by name.

        Raises:
            TypeError: a field is missing, given twice, or none of this class.
        """
        rest = cls._fields[len(values) :]
        if len(values) > len(cls._fields) or set(named) != set(rest):
            raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields) or 'nothing'}")
        return (*values, *[named[name] for name in rest])

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        """The record of these values."""
        return cls(*values)

    def _replace(self, **changes: Any) -> Self:
        """A copy with other values in some fields."""
        return type(self)(**(dict(zip(self._fields, self, strict=True)) | changes))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        fields = zip(self._fields, self, strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"
