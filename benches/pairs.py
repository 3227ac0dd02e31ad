"""How two are compared that took turns: round by round, so that what slows the machine for a while slows both."""

import statistics


def middle_mean(values):
    """The mean of the middle half: as deaf to outliers as a median, and steady where times come in steps (a frame more or less)."""
    ordered, cut = sorted(values), len(values) // 4
    return statistics.fmean(ordered[cut : len(ordered) - cut])


def times_of(ours, theirs):
    """Ours by theirs. With fewer than three rounds in common it is the ratio of the medians."""
    pairs = [one / other for one, other in zip(ours, theirs)]
    return middle_mean(pairs) if len(pairs) >= 3 else statistics.median(ours) / statistics.median(theirs)
