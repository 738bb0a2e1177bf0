#!/usr/bin/env python3
"""Prints "PASSED FAILED" for a results folder of run-tests.sh, and on stderr where the numbers come from.

A GoogleTest program counts as many tests as it has; one that crashed counts its missing report as one failure. A lit
or CTest report that is missing altogether is one failure.
"""
import glob
import json
import os
import sys
import xml.etree.ElementTree as xml


def count_unit_tests(folder):
    """The tests inside the GoogleTest programs, and how many of the programs reported a failure."""
    passed = failed = bad_programs = 0
    for path in glob.glob(os.path.join(folder, "gtest", "*.json")):
        with open(path) as report:
            result = json.load(report)
        bad = result.get("failures", 0) + result.get("errors", 0)
        passed += result["tests"] - bad - result.get("disabled", 0)
        failed += bad
        bad_programs += bad > 0
    return passed, failed, bad_programs


def count_ctest(folder):
    """CTest's own tests that are no GoogleTest programs, and GoogleTest programs that died without a report."""
    passed, failed, bad_programs = count_unit_tests(folder)
    path = os.path.join(folder, "ctest.xml")
    if not os.path.exists(path):
        return passed, failed + 1
    dead_programs = -bad_programs
    for case in xml.parse(path).getroot().iter("testcase"):
        bad = case.find("failure") is not None or case.get("status") not in ("run", "disabled")
        if case.get("name").startswith("unit-"):
            dead_programs += bad
        elif bad:
            failed += 1
        else:
            passed += 1
    return passed, failed + max(0, dead_programs)


def count_lit(folder):
    path = os.path.join(folder, "lit.json")
    if not os.path.exists(path):
        return 0, 1
    with open(path) as report:
        codes = [test["code"] for test in json.load(report)["tests"]]
    passed = codes.count("PASS") + codes.count("XFAIL")
    ignored = codes.count("UNSUPPORTED") + codes.count("EXCLUDED")
    return passed, len(codes) - passed - ignored


def main():
    total = [0, 0]
    for name, count in (("CTest", count_ctest), ("lit", count_lit)):
        passed, failed = count(sys.argv[1])
        print(f"{name}: {passed} passed, {failed} failed", file=sys.stderr)
        total[0] += passed
        total[1] += failed
    print(*total)


main()
