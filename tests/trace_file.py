# SPDX-License-Identifier: Apache-2.0
"""Reads the output of the exporter chrome_trace, whatever its times count from."""

import json


def trace_events(text):
    """The events of a trace_view.json, with their times as texts of microseconds since the
    epoch."""
    trace = json.loads(text)
    if isinstance(trace, list):
        return trace
    for event in trace["traceEvents"]:
        if "ts" in event:
            ns = round(event["ts"] * 1000) + trace["baseTimeNanoseconds"]
            event["ts"] = "%d.%03d" % divmod(ns, 1000)
    return trace["traceEvents"]
