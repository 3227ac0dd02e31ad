"""The rules by which the lab judges. Run by benches/tests/flake.rs."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
APP = HERE.parents[1] / "apps" / "patterns"
sys.path[:0] = [str(HERE), str(HERE.parent)]
from desktop_lane import judge
from pairs import RULES, times_of
from run import earlier, shares, with_kept
from tally import tally, wilson

TRUTH = {"n": 7, "begin": 0, "end": 5_000_000, "final": ["Saved (7)"], "gone": ["Saving (7)"]}


def verdict(text, at, n=7, **more):
    return judge({"text": text, "began": 0, "at": at, **more}, TRUTH, n)["verdict"]


class Judging(unittest.TestCase):
    def test_a_read_with_all_of_the_end_and_nothing_of_the_way_is_right(self):
        self.assertEqual(verdict("window\nSaved (7)", 6_000_000), "right")

    def test_another_read_before_the_end_is_premature_and_after_it_wrong(self):
        self.assertEqual(verdict("Saving (7)", 4_000_000), "premature")
        self.assertEqual(verdict("Saving (7)", 6_000_000), "wrong")

    def test_the_end_beside_something_of_the_way_is_not_right(self):
        self.assertEqual(verdict("Saved (7)\nSaving (7)", 6_000_000), "wrong")

    def test_an_action_that_happened_twice_is_not_right(self):
        self.assertEqual(verdict("Saved (7)", 6_000_000, n=6), "wrong")

    def test_a_tool_that_gave_up_missed(self):
        self.assertEqual(verdict("", 6_000_000, error="timeout"), "missed")

    def test_late_is_counted_from_the_end_and_a_call_from_its_beginning(self):
        told = judge({"text": "Saved (7)", "began": -2_000_000, "at": 6_500_000}, TRUTH, 7)
        self.assertAlmostEqual(told["late_ms"], 1.5)
        self.assertAlmostEqual(told["call_ms"], 8.5)


class Counting(unittest.TestCase):
    def test_no_failure_in_many_times_still_has_an_upper_bound(self):
        low, high = wilson(0, 500)
        self.assertAlmostEqual(low, 0)
        self.assertAlmostEqual(high, 0.00762, places=4)

    def test_each_way_and_pattern_has_its_counts(self):
        one = {"surface": "web", "way": "w", "pattern": "p", "late_ms": 3.0}
        row, = tally([{**one, "verdict": "right"}, {**one, "verdict": "premature"}, {**one, "verdict": "missed"}])
        self.assertEqual((row["times"], row["right"], row["premature"], row["missed"]), (3, 1, 1, 1))
        self.assertEqual(row["patterns"]["p"]["premature"], 1)

    def test_rows_that_a_run_does_not_take_are_kept_with_their_date_and_processor(self):
        ours, theirs = {"surface": "web", "way": "ours", "times": 1}, {"surface": "web", "way": "theirs", "times": 2}
        with tempfile.NamedTemporaryFile("w+", suffix=".json") as file:
            json.dump({"flake": {"machine": {"date": "2026-11-16", "cpu": "Abacus"}, "flake": [ours, theirs]}}, file)
            file.flush()
            kept = earlier(file.name)
        new = {**ours, "times": 3}
        self.assertEqual(with_kept([new], kept), [new, {"of": "2026-11-16, Abacus", **theirs}])

    def test_repetitions_are_shared_out_whole(self):
        self.assertEqual(shares(450, 50), [50] * 9)
        self.assertEqual(sum(shares(47, 10)), 47)
        self.assertEqual(shares(0, 10), [])


class Comparing(unittest.TestCase):
    #: Ours, theirs, and what is to come out.
    CASES = [
        ([1, 1, 1, 9], [2, 2, 2, 2], 0.5),  # what slowed one round does not count
        ([1, 4, 6, 100], [10, 1, 10, 99], 0.5),  # nor what was fast in one
        ([5, 1, 1, 1], [10], 0.5),  # rounds that only one had do not count
    ]

    def test_the_middle_halves_of_the_common_rounds_are_compared(self):
        for ours, theirs, ratio in self.CASES:
            self.assertAlmostEqual(times_of(ours, theirs), ratio)

    def test_what_slows_more_than_half_of_the_rounds_is_no_part_of_the_undisturbed(self):
        ours, theirs = [1, 1, 1, 3, 3, 3, 3, 3], [4, 4, 4, 4, 8, 8, 8, 8]
        self.assertEqual(times_of(ours, theirs, RULES["undisturbed"]), 0.25)
        self.assertNotEqual(times_of(ours, theirs), 0.25)

    def test_the_undisturbed_of_few_are_the_fastest(self):
        for ours in ([1], [1, 9], [1, 1, 9], [4, 1, 9, 1]):
            self.assertEqual(times_of(ours, [2] * len(ours), RULES["undisturbed"]), 0.5)

    def test_both_languages_compare_alike(self):
        for name, rule in RULES.items():
            code = f"import('{HERE.parent}/pairs.mjs').then((m) => console.log(JSON.stringify({json.dumps(self.CASES)}.map(([a, b]) => m.timesOf(a, b, m.{name})))))"
            told = json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout)
            self.assertEqual(told, [times_of(ours, theirs, rule) for ours, theirs, _ in self.CASES])

    def test_rounds_of_several_passes_are_compared_within_their_pass(self):
        # In the second pass the machine was slower, for both alike.
        passes = [{"Stillpoint": [1, 1, 1, 1], "quick": [2, 2], "slow": [9], "lame": "cannot"}, {"Stillpoint": [3, 3, 3, 3], "quick": [6, 6], "slow": [27], "lame": []}]
        code = f"import('{HERE.parent}/tasks/figures.mjs').then((m) => console.log(JSON.stringify(m.joined({json.dumps(passes)}))))"
        told = json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(told, {"Stillpoint": [1, 1, 3, 3, 1, 1, 3, 3], "quick": [2, 2, 6, 6], "slow": [9, 27], "lame": "cannot"})
        self.assertEqual(times_of(told["Stillpoint"], told["quick"]), 0.5)


class Patterns(unittest.TestCase):
    def test_there_are_enough_and_their_names_differ(self):
        names = [one["name"] for one in json.loads((APP / "patterns.json").read_text()) if not one.get("bench")]
        self.assertGreaterEqual(len(set(names)), 24)
        self.assertEqual(len(set(names)), len(names))

    def test_delays_are_the_same_on_both_surfaces(self):
        cases = [("late answer", 1, 1, 20, 400), ("streamed list", 17, 5, 20, 80), ("cascade", 500, 9, 1, 40)]
        script = re.search(r"function delay\(.*?\n}", (APP / "web.js").read_text(), re.S).group()
        code = f"const seed = 3; {script}; console.log(JSON.stringify({json.dumps(cases)}.map((c) => delay(...c))))"
        page = json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout)
        source = re.search(r"def delay\(.*?\n\n", (APP / "desktop.py").read_text(), re.S).group()
        space = {}
        exec(source, space)
        self.assertEqual(page, [space["delay"](3, *case) for case in cases])


if __name__ == "__main__":
    unittest.main()
