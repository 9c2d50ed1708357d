#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how reliable `strobe diff` is: its false alarms and its power, with real runs.

    bench/diff_trust.py [--build DIR] [--folder DIR] [--runs 60] [--comparisons 100]

Records runs of bench/steps.c, equal ones and slower ones in turn, and compares them many times. A
false alarm is a comparison of equal runs that lists a row as changed, faster or slower. Power is
the share of comparisons that find the row that was made slower. Prints a table in Markdown.
"""

import argparse
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[1]
STEPS = 200
SLOWER = (2, 5, 10)  # %
SLOWED = ["product", "layer 3"]
REGRESSION = 7
# The comparisons of each line: their name, the number of runs on each side, options.
FORMS = (
    ("five runs a side", 5, ()),
    ("three runs a side", 3, ()),
    ("one run a side", 1, ()),
    ("three runs a side, `--mean`", 3, ("--mean",)),
    ("one run a side, `--mean`", 1, ("--mean",)),
)


def output_of(*words, codes=(0,)):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        sys.exit("%s: %s" % (words[0], done.stderr))
    return done.stdout, done.returncode


def record(build, folder, n_runs):
    """The paths of results, by the percentage by which they are slower. There are `runs` equal ones (0), and a third
    of this number for each other percentage."""
    results = {percent: [] for percent in (0, *SLOWER)}
    for number in range(n_runs):
        for percent in results if number % 3 == 0 else (0,):
            slower = (percent,) if percent else ()
            path, _ = output_of(build / "bench" / "steps", folder, STEPS, *slower)
            results[percent].append(path.strip())
    return results


class Comparison:
    """The result of `strobe diff` for two sides."""

    def __init__(self, build, a, b, words):
        text, code = output_of(build / "tools" / "strobe", "diff", *a, "--against", *b, *words,
                               "--by", "mark", "--threshold", "0", "--json", codes=(0, REGRESSION))
        found = json.loads(text)
        self.any_changed = bool(found["rows"] or found["total"]["changed"])
        self.is_regression = code == REGRESSION
        self.found_slower = any(row["path"] == SLOWED and row["difference"] > 0
                                for row in found["rows"])


def random_sides(equal, others, n):
    """Chooses runs for both sides at random."""
    if equal is others:
        runs = random.sample(equal, 2 * n)
        return runs[:n], runs[n:]
    return random.sample(equal, n), random.sample(others, n)


def count_alarms(compare, sides):
    """The number of comparisons that list a row, of those with exit code 7, and of all."""
    made = [compare(a, b) for a, b in sides]
    return "%d and %d of %d" % (sum(one.any_changed for one in made),
                                sum(one.is_regression for one in made), len(made))


def measure(build, results, n_comparisons, n, words):
    """The cells of one line."""
    def compare(a, b):
        return Comparison(build, a, b, words)
    equal = results[0]
    yield count_alarms(compare, [random_sides(equal, equal, n) for _ in range(n_comparisons)])
    starts = range(min(len(equal) - 2 * n + 1, n_comparisons))
    yield count_alarms(compare, [(equal[at:at + n], equal[at + n:at + 2 * n]) for at in starts])
    for percent in SLOWER:
        made = [compare(*random_sides(equal, results[percent], n)) for _ in range(n_comparisons)]
        yield "%d %%" % round(100 * sum(one.found_slower for one in made) / len(made))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build")
    parser.add_argument("--folder", type=pathlib.Path, help="keeps the runs here")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--comparisons", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args()
    if flags.runs < 15:
        parser.error("--runs is below 15: there must be five of each kind")
    random.seed(flags.seed)
    with tempfile.TemporaryDirectory(prefix="strobe-diff-") as folder:
        results = record(flags.build, flags.folder or folder, flags.runs)
        print("| | alarms, runs in any order | alarms, one side after the other | %s |" %
              " | ".join("power %d %%" % percent for percent in SLOWER))
        print("|---" * (3 + len(SLOWER)) + "|")
        for name, n, words in FORMS:
            cells = measure(flags.build, results, flags.comparisons, n, words)
            print("| %s | %s |" % (name, " | ".join(cells)), flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("\n%d s of processor time" % (used.ru_utime + used.ru_stime))


if __name__ == "__main__":
    main()
