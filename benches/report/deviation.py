"""How far a ratio would be off by chance, from the turns of one run: `deviation.py FILE.turns…`. Rounds are drawn again and again, in blocks of
neighbours, for what slows the machine lasts for several; told is the standard deviation of the ratios, in percent, the largest first."""

import json
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from pairs import RULES, times_of

DRAWS, BLOCKS = 300, 6


def deviation(ours, theirs, rule):
    """As a share of the mean."""
    rounds = min(len(ours), len(theirs))
    length, ratios = max(1, rounds // BLOCKS), []
    for _ in range(DRAWS):
        starts = [random.randrange(rounds) for _ in range(-(-rounds // length))]
        drawn = [(start + place) % rounds for start in starts for place in range(length)][:rounds]
        ratios.append(times_of([ours[one] for one in drawn], [theirs[one] for one in drawn], rule))
    return statistics.pstdev(ratios) / statistics.fmean(ratios)


def main():
    random.seed(1)
    rows = []
    for line in (line for path in sys.argv[1:] for line in open(path)):
        told = json.loads(line)
        peers = [turns for who, turns in told["turns"].items() if turns and not who.startswith("Stillpoint")]
        ours = told["turns"].get("Stillpoint")
        if ours and peers and min(len(ours), len(theirs := min(peers, key=statistics.median))) > 1:
            rows.append((100 * deviation(ours, theirs, RULES[told["rule"]]), min(len(ours), len(theirs)), told["name"]))
    for percent, rounds, name in sorted(rows, reverse=True):
        print(f"{percent:5.1f} %  {rounds:4} rounds  {name}")


if __name__ == "__main__":
    main()
