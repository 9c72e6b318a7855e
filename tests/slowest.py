#!/usr/bin/env python3
"""The ten slowest tests of a run: slowest.py RESULTS (JUnit, as ctest --output-junit writes it)."""
import sys
import xml.etree.ElementTree as xml

cases = [(float(case.get("time") or 0), case.get("name")) for case in xml.parse(sys.argv[1]).getroot().iter("testcase")]
print(f"the slowest of {len(cases)} tests, {sum(seconds for seconds, _ in cases):.0f} s in all:")
for seconds, name in sorted(cases, reverse=True)[:10]:
    print(f"{seconds:.0f} s\t{name}")
