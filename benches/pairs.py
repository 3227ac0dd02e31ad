"""How two are compared that took turns in the same rounds."""

import statistics


def usual(times):
    """The mean of the middle half: as deaf to outliers as a median, and steadier where times come in steps, a frame more or less. Of three the middle one."""
    ordered, cut = sorted(times), max(len(times) // 4, len(times) > 2)
    return statistics.fmean(ordered[cut : len(ordered) - cut])


def undisturbed(times):
    """The mean of the fastest quarter. What slows a machine for seconds or minutes can only add, and does not come into this as long as a quarter of
    the times are free of it; into a middle half it comes where it lasts for more than a quarter of them."""
    return statistics.fmean(sorted(times)[: -(-len(times) // 4)])


RULES = {rule.__name__: rule for rule in (usual, undisturbed)}


def times_of(ours, theirs, rule=usual):
    """Ours by theirs, of the rounds that both took part in."""
    rounds = min(len(ours), len(theirs))
    return rule(ours[:rounds]) / rule(theirs[:rounds])
