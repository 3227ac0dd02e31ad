"""Whether two runs agree: `compare.py FIRST/report.json SECOND/report.json [SHARE]`. Compares each figure's ratio to its fastest peer, lists
those that differ by more than the share (0.15), and fails if any does. Figures that only one run has are told."""

import json
import sys


def ratios(path):
    benches = json.load(open(path))
    return {(name, one["name"], one["unit"]): one for name, bench in benches.items() for one in bench["figures"] if one.get("ratio")}


def main():
    first, second = (ratios(path) for path in sys.argv[1:3])
    allowed = float(sys.argv[3]) if len(sys.argv) > 3 else 0.15
    apart, both = 0, sorted(first.keys() & second.keys())
    for key in both:
        one, other = first[key]["ratio"], second[key]["ratio"]
        difference = abs(one - other) / max(one, other)
        if difference > allowed:
            apart += 1
            print(f"{key[0]:9} {key[1]:66} ratio {one:9.4g} {other:9.4g}  {100 * difference:5.1f} %   ours {first[key]['ours']:9.4g} {second[key]['ours']:9.4g} {key[2]}")
    for key in sorted(first.keys() ^ second.keys()):
        print(f"{key[0]:9} {key[1]:66} only in the {'first' if key in first else 'second'}")
    print(f"{len(both)} ratios, {apart} differ by more than {100 * allowed:.0f} %")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
