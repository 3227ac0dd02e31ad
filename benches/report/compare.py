"""Whether two runs agree: `compare.py FIRST/report.json SECOND/report.json [SHARE]`. Compares each figure's ratio to its fastest peer; says
which differ by more than the share (0.15), and fails if any does."""

import json
import sys


def ratios(path):
    benches = json.load(open(path))
    return {(name, one["name"]): (one["ratio"], one["unit"]) for name, bench in benches.items() for one in bench["figures"] if one.get("ratio")}


def main():
    first, second = (ratios(path) for path in sys.argv[1:3])
    allowed = float(sys.argv[3]) if len(sys.argv) > 3 else 0.15
    apart = 0
    for key in sorted(first.keys() & second.keys()):
        (one, unit), (other, _) = first[key], second[key]
        difference = abs(one - other) / max(one, other)
        apart += difference > allowed
        mark = "  APART" if difference > allowed else ""
        print(f"{key[0]:10} {key[1]:60} {one:10.4f} {other:10.4f} {100 * difference:6.1f} %{mark}")
    print(f"{len(first.keys() & second.keys())} ratios, {apart} differ by more than {100 * allowed:.0f} %")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
