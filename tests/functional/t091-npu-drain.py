# SPDX-License-Identifier: Apache-2.0
"""What MSPTI's double tells out of order, late or not at all, and what the result says of it."""

import unittest

from npu import MARK, NpuTest

THREAD = 70001


class OrderTest(NpuTest):
    def test_buffers_that_overtake_others(self):
        """Calls behind a launch carry its id and launch nothing, whichever buffer comes first."""
        n, lines = 600, ["sleep 10"]
        for i in range(n):
            at = i * 10000
            lines.append("launch %d 0 3 KERNEL_AICORE mm %d 5" % (THREAD, at + 60))
            lines.append("call 11 %d launch %d 50" % (THREAD, at))
            lines += ["call 10 %d aclrtQuery %d 5" % (THREAD, at + 100 + 10 * k) for k in range(4)]
        self.play(lines + ["sleep 400"], ":buffer_size=64KB,flush_interval=60s", wrong="swap")
        calls = self.rows("api_call")
        self.assertEqual(len(calls), 5 * n)
        for row in calls:
            launches = row["name"] == MARK + "launch"
            self.assertEqual(row["connection"] not in (None, ""), launches, row)
        linked = next(row for row in self.rows("correlation") if row["name"] == "api_to_task")
        self.assertEqual((linked["linked"], linked["orphan_effect"]), (n, 0))


if __name__ == "__main__":
    unittest.main()
