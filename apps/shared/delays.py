"""Delays that look random and are the same in every run with the same seed."""

import hashlib


class Delays:
    """The n-th delay of an operation depends on the seed, its name and n, and on nothing else."""

    def __init__(self, seed, shortest, longest):
        self.seed, self.shortest, self.longest = seed, shortest, longest
        self._uses = {}

    def next(self, name):
        use = self._uses[name] = self._uses.get(name, 0) + 1
        digest = hashlib.sha256(f"{self.seed}/{name}/{use}".encode()).digest()
        span = max(self.longest - self.shortest, 0) + 1
        return self.shortest + int.from_bytes(digest[:8], "big") % span
