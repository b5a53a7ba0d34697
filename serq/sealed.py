"""Objects that users hold and cannot make or change: results and programs."""

from __future__ import annotations

from typing import ClassVar, Self


class Sealed:
    """A class without a public constructor, whose objects never change.

    A subclass keeps its state in slots and makes objects by `_new`. A copy of such an object is the object itself;
    it can be pickled, so that it travels between processes.
    """

    __slots__ = ()
    _made_by: ClassVar[str]
    """What makes objects of this class, for the message of the constructor."""

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        raise TypeError(f"{cls.__name__} has no constructor: {cls._made_by}")

    @classmethod
    def _new(cls, **state: object) -> Self:
        """A new object with these values in its slots."""
        made = object.__new__(cls)
        for name, value in state.items():
            setattr(made, name, value)
        return made

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return object.__new__, (type(self),), object.__getstate__(self)
