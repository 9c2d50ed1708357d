#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints each reason not to release the version of meson.build; exits with 1 if there is any."""

import pathlib
import re
import subprocess
import sys


def git(top, *words):
    return subprocess.run(["git", "-C", str(top), *words], check=True, capture_output=True,
                          text=True).stdout.split("\n")


def version_of(top):
    return re.search(r"^ *version: '([^']+)'", (top / "meson.build").read_text(), re.M)[1]


def key_of(version):
    return tuple(map(int, version.split(".")))


def faults_of_news(top, version):
    section = re.search(r"^## (\S+)(?: \((.*)\))?$", (top / "NEWS.md").read_text(), re.M)
    if not section or section[1] != version:
        return ["NEWS.md: the first section is not that of %s" % version]
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", section[2] or ""):
        return ["NEWS.md: expected the date of %s, found \"%s\"" % (version, section[2])]
    return []


def faults_of_debian(top, version):
    """The packages must have the same version, and name the release of Debian for which they are
    meant."""
    entry = re.match(r"strobe \((.*?)\) (\S+);", (top / "debian" / "changelog").read_text())
    if not entry or entry[1] != version:
        return ["debian/changelog: the first entry is not that of %s" % version]
    if entry[2] == "UNRELEASED":
        return ["debian/changelog: expected a release of Debian, found \"UNRELEASED\""]
    return []


def faults_of_tags(top, version):
    tags = [tag[1:] for tag in git(top, "tag", "--list", "v[0-9]*") if tag]
    if version in tags:
        return ["the tag v%s is there already" % version]
    newer = [tag for tag in tags if key_of(tag) > key_of(version)]
    return ["%s is older than the tag v%s" % (version, tag) for tag in newer]


def faults(top):
    version = version_of(top)
    changed = [line for line in git(top, "status", "--porcelain") if line]
    found = ["uncommitted: %s" % line for line in changed]
    return (found + faults_of_news(top, version) + faults_of_debian(top, version)
            + faults_of_tags(top, version))


def main():
    found = faults(pathlib.Path(__file__).resolve().parents[1])
    for fault in found:
        print("release-check: %s" % fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
