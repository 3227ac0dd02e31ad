"""What came out of the lanes: `tally.py OUT.json LANE.jsonl…` counts verdicts for each way and pattern."""

import collections
import json
import math
import sys

VERDICTS = ("right", "premature", "missed", "wrong")


def wilson(count, total):
    """The 95 % interval of a share, which stays sensible when the count is 0."""
    if not total:
        return [0.0, 1.0]
    z, share = 1.959964, count / total
    middle = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    below = 1 + z * z / total
    return [max(0.0, (middle - spread) / below), min(1.0, (middle + spread) / below)]


def quantile(samples, share):
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else None


def count(results):
    verdicts = collections.Counter(one["verdict"] for one in results)
    total = sum(verdicts[name] for name in VERDICTS)
    late = [one["late_ms"] for one in results if one["verdict"] == "right"]
    told = {"times": total, **{name: verdicts[name] for name in VERDICTS}, "cannot": verdicts["cannot"] > 0 and not total}
    not_right = total - verdicts["right"]
    told["not_right_share"] = not_right / total if total else None
    told["interval_95"] = wilson(not_right, total)
    told["late_p50_ms"], told["late_p99_ms"] = quantile(late, 0.5), quantile(late, 0.99)
    return told


def tally(results):
    ways = collections.defaultdict(list)
    for one in results:
        ways[one["surface"], one["way"]].append(one)
    table = []
    for (surface, way), of_way in ways.items():
        patterns = collections.defaultdict(list)
        for one in of_way:
            patterns[one["pattern"]].append(one)
        row = {"surface": surface, "way": way, **count(of_way), "patterns": {name: count(list_) for name, list_ in patterns.items()}}
        row["not_right"] = [one for one in of_way if one["verdict"] in VERDICTS[1:]][:40]
        table.append(row)
    return table


def main():
    out, *files = sys.argv[1:]
    results = [json.loads(line) for name in files for line in open(name)]
    table = tally(results)
    with open(out, "w") as file:
        json.dump(table, file, indent=1)
    for row in table:
        late = f"{row['late_p50_ms']:.1f}/{row['late_p99_ms']:.1f} ms late" if row["late_p50_ms"] is not None else ""
        share = f"≤ {100 * row['interval_95'][1]:.2f} %"
        print(f"{row['surface']:8} {row['way']:28} {row['times']:6} times: {row['premature']} premature, {row['missed']} missed, {row['wrong']} wrong ({share}) {late}")


if __name__ == "__main__":
    main()
