"""Pictures as bytes."""

from __future__ import annotations

import os
import struct
from typing import Union


class Screenshot(bytes):
    """A picture (PNG) as bytes; a notebook shows it."""

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height in pixels."""
        width, height = struct.unpack(">II", self[16:24])
        return int(width), int(height)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes it to a file."""
        with open(path, "wb") as file:
            file.write(self)

    def _repr_png_(self) -> bytes:
        return bytes(self)

    def __repr__(self) -> str:
        return "<Screenshot {}×{}>".format(*self.size)
