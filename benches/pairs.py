"""How two are compared that took turns in the same rounds."""

import statistics


def usual(times):
    """The mean of the middle half: as deaf to outliers as a median, and steadier where times come in steps, a frame more or less. Of three the middle one."""
    ordered, cut = sorted(times), max(len(times) // 4, len(times) > 2)
    return statistics.fmean(ordered[cut : len(ordered) - cut])


def times_of(ours, theirs):
    """Ours by theirs, of the rounds that both took part in."""
    rounds = min(len(ours), len(theirs))
    return usual(ours[:rounds]) / usual(theirs[:rounds])
