# SPDX-License-Identifier: Apache-2.0
"""The page of a long capture needs bounded memory, is a small file, and appears quickly on the
screen.

STROBE_TEST_RECORDS sets its number of records, of 40 bytes each."""

import os
import subprocess
import unittest

import chromium
from support import BUILD, STROBE, StrobeTest, program

RECORDS = int(os.environ.get("STROBE_TEST_RECORDS", "1000000"))
MAKE = str(BUILD / "tests" / "unit" / "make-capture")
MB = 1 << 20
PAINT = "(e => e && e.startTime)(performance.getEntriesByName('first-contentful-paint')[0])"


class LargeReportTest(StrobeTest):
    def make_page(self):
        """Returns the path of the page, and the largest memory of the command in bytes."""
        capture, page = self.work / "load.strobe", self.work / "load.html"
        subprocess.run([MAKE, str(capture), str(RECORDS)], check=True)
        done = subprocess.run([program("peak"), STROBE, "report", str(capture), "-o", str(page)],
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return page, int(done.stdout.split()[-1]) * 1024

    def test_bounds(self):
        page, peak = self.make_page()
        print("# %d records: %.0f MB at most, a page of %.2f MB" %
              (RECORDS, peak / MB, page.stat().st_size / 1e6))  # fmt: skip
        self.assertLess(peak, 512 * MB)
        self.assertLess(page.stat().st_size, 5e6)

    @unittest.skipUnless(chromium.PROGRAM, "no chromium")
    def test_first_paint(self):
        path, _ = self.make_page()
        with chromium.Page(path) as page:
            page.wait_for("document.body.dataset.ready === 'yes'")
            paint = page.wait_for(PAINT)
            print("# first paint after %.0f ms" % paint)
            self.assertEqual(page.complaints, [])
            if "STROBE_TEST_RECORDS" in os.environ:  # the test is alone on the machine
                self.assertLess(paint, 1000)


if __name__ == "__main__":
    unittest.main()
