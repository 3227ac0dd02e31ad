"""How two are compared that took turns in the same rounds."""

import statistics


def calm(times):
    """The mean of the faster half. What else goes on on a machine only ever makes a program slower, so this is what it takes when it is left
    alone; a median goes up and down with how often it was not."""
    return statistics.fmean(sorted(times)[: (len(times) + 1) // 2])


def times_of(ours, theirs):
    """Ours by theirs, of the rounds that both took part in."""
    rounds = min(len(ours), len(theirs))
    return calm(ours[:rounds]) / calm(theirs[:rounds])
