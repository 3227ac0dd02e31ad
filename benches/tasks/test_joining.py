"""How turns are counted, and how the passes of a task become one. Run by benches/tests/flake.rs."""

import unittest

from desktop_tasks import Samples, Trees, joined, put, ratio, too_long


class Joining(unittest.TestCase):
    def test_rounds_that_both_took_stand_first(self):
        first = {"Stillpoint": [[1], [2], [3]], "pyatspi": [[10], [20]], "dogtail": [[90]]}
        second = {"Stillpoint": [[4]], "pyatspi": [[40], [50]], "dogtail": []}
        self.assertEqual(joined([first, second]), {"Stillpoint": [[1], [2], [4], [3]], "pyatspi": [[10], [20], [40], [50]], "dogtail": [[90]]})

    def test_what_failed_in_one_pass_stays_words(self):
        first = {"Stillpoint": [[1]], "pyatspi": [[2]], "xa11y": "early: did not read the final state"}
        second = {"Stillpoint": [[1]], "pyatspi": [[2]], "xa11y": [[1]]}
        self.assertEqual(joined([first, second])["xa11y"], "early: did not read the final state")

    def test_where_ours_failed_there_is_no_ratio(self):
        passes = [{"Stillpoint": "missed: did not read the final state", "pyatspi": [[2]]}, {"Stillpoint": [[1]], "pyatspi": [[2], [3]]}]
        self.assertEqual(joined(passes), {"Stillpoint": "missed: did not read the final state", "pyatspi": [[2], [2], [3]]})
        self.assertIsNone(ratio(joined(passes)))

    def test_a_peer_that_fails_a_third_time_is_unable(self):
        samples = Samples({"pyatspi": [[2]]})
        for _ in range(2):
            put(samples, "pyatspi", "missed: did not read the final state")
        self.assertEqual(samples["pyatspi"], [[2]])
        put(samples, "pyatspi", "missed: did not read the final state")
        self.assertEqual(samples["pyatspi"], "missed: did not read the final state")

    def test_a_peer_that_fails_once_in_twenty_turns_is_able(self):
        samples = Samples({"pyatspi": [[2]] * 80})
        for _ in range(4):
            put(samples, "pyatspi", "missed: did not read the final state")
        self.assertEqual(samples["pyatspi"], [[2]] * 80)

    def test_a_peer_whose_first_try_was_forgiven_is_asked_for_the_next_size(self):
        one = Trees.__new__(Trees)
        one.samples = {"first": Samples({"Stillpoint": [[1]], "pyatspi": [[5000], [7000]], "dogtail": []})}
        put(one.samples["first"], "dogtail", "incomplete: read 0 elements of 9,881")
        self.assertEqual(one.times(), {"Stillpoint": 1, "pyatspi": 6000})
        self.assertIsNone(too_long((10_000, one.times()), "dogtail", 50_000))

    def test_a_peer_is_not_asked_for_what_takes_long_and_far_longer_than_the_fastest(self):
        before = 10_000, {"Stillpoint": 700, "pyatspi": 8000, "dogtail": 4000, "xa11y": 12_000}
        self.assertIsNone(too_long(before, "pyatspi", 50_000))
        self.assertEqual(too_long(before, "xa11y", 50_000), "not measured: a read would take 60 s, by its time for 10,000")

    def test_no_failure_of_ours_is_forgiven(self):
        samples = Samples({"Stillpoint": [[1]] * 80})
        put(samples, "Stillpoint", "early: did not read the final state")
        self.assertEqual(samples["Stillpoint"], "early: did not read the final state")


if __name__ == "__main__":
    unittest.main()
