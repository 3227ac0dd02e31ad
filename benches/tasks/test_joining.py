"""How the passes of a task become one. Run by benches/tests/flake.rs."""

import unittest

from desktop_tasks import joined, ratio


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


if __name__ == "__main__":
    unittest.main()
