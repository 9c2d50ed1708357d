# SPDX-License-Identifier: Apache-2.0
"""Marks of compilations, graph breaks and recompilations.

Dynamo reports its work with torch._logging.trace_structured(), which also writes Dynamo's trace
files, and calls callbacks around each compilation. While a session is open, Strobe wraps
trace_structured() and the function that installs the callbacks. This does not switch on Dynamo's
logging.
"""

import contextlib
import functools
import os
import re
import threading

from .. import _strobe, message

_REASON_MAX = 1000  # characters
_NAME_MAX = 200
_BREAK = re.compile(
    r"Graph break in user code at (?P<file>.*):(?P<line>\d+)\n"
    r"(?:Graph Break )?Reason: (?P<reason>.*?)(?:\n\s*\nUser code traceback|\nUser code traceback|\Z)",
    re.DOTALL,
)
_METRICS = ("compilation_metrics", "bwd_compilation_metrics")

_here = threading.local()  # the compilation that this thread runs


class _Compilation:
    """A running compilation, with times of _strobe.compiled.now(). `begin` is 0 before the begin of
    the compilation, `end` is 0 before its end."""

    def __init__(self):
        self.begin = self.end = 0
        self.backward = 0  # begin of a backward function's compilation, which has no callbacks
                           # before 2.8
        self.guards = None  # (time, failed guards) of a recompilation


def _current():
    if not hasattr(_here, "compilation"):
        _here.compilation = _Compilation()
    return _here.compilation


# ---- Dynamo's reports ----


def listen(replacements):
    """Wraps the function with which Dynamo reports its work."""
    import torch._logging

    replacements.put(torch._logging, "trace_structured", _listening)


def _listening(report):
    @functools.wraps(report)
    def trace_structured(name, metadata_fn=dict, *args, **kwargs):
        result = report(name, metadata_fn, *args, **kwargs)
        try:
            _take(name, metadata_fn, kwargs.get("payload_fn"))
        except Exception as error:  # it must not reach the program
            message.warn_once("Cannot mark what torch.compile does: %s" % error)
        return result

    return trace_structured


def _take(name, metadata, payload):
    if name in _METRICS:
        _take_compilation(metadata())
    elif name == "chromium_event":
        event = payload()
        if event.get("name") == "entire_backward_compile" and event.get("ph") == "B":
            _current().backward = _strobe.compiled.now()
    elif name == "artifact":
        artifact = metadata().get("name")
        if artifact == "dynamo_graph_break_reason":
            _add_graph_break(str(payload()))
        elif artifact == "recompile_reasons":
            guards = payload()
            guards = [guards] if isinstance(guards, str) else guards
            _current().guards = (_strobe.compiled.now(), list(map(str, guards)))


def _add_graph_break(text):
    match = _BREAK.search(text)
    place = "%s:%s" % match.group("file", "line") if match else ""
    reason = match.group("reason").strip() if match else text.strip()
    now = _strobe.compiled.now()
    _add_instant(now, "graph break: " + _headline(reason), _compile_id(), "", place, reason)


def _headline(reason):
    """The first line of a reason that does not merely introduce the next line."""
    lines = [line.strip() for line in reason.split("\n") if line.strip()]
    return next((line for line in lines if not line.endswith(":")), (lines or [""])[0])


def _take_compilation(metrics):
    """Records a compilation that has ended, successfully or not."""
    compilation = _current()
    del _here.compilation
    id = str(metrics.get("compile_id") or "?")
    function = metrics.get("co_name") or ("backward" if metrics.get("is_forward") is False else "")
    place = _place(metrics)
    title = " ".join(each for each in (id, function, os.path.basename(place)) if each)
    failure = _failure(metrics)
    time, guards = compilation.guards or (0, [])
    begin = compilation.begin or compilation.backward
    if not begin:  # for example, the limit of recompilations has been reached
        now = _strobe.compiled.now()
        name = "not compiled %s: %s" % (title, _headline(failure))
        _add_instant(now, name, id, function, place, failure)
        return
    if guards:
        name = "recompile %s: %s" % (title, guards[0])
        _add_instant(time, name, id, function, place, "; ".join(guards))
    counts = [metrics.get(key) for key in ("graph_node_count", "guard_count", "cache_size")]
    times = begin, compilation.end or _strobe.compiled.now()
    reason = failure or "; ".join(guards)
    _add_range(times, "compile " + title, id, function, place, reason, counts)


def _place(metrics):
    file, line = metrics.get("co_filename"), metrics.get("co_firstlineno")
    return "%s:%s" % (file, line) if file else ""


def _failure(metrics):
    kind, reason = metrics.get("fail_type"), metrics.get("fail_reason")
    return ": ".join(str(each) for each in (kind, reason) if each)


def _compile_id():
    from torch._guards import CompileContext

    return str(CompileContext.current_compile_id() or "?")


def _add_instant(time, name, id, function, place, reason):
    texts = _cleaned(name, id, function, place, reason)
    _strobe.compiled.add_instant(time, time, *texts, None, None, None)


def _add_range(times, name, id, function, place, reason, counts):
    texts = _cleaned(name, id, function, place, reason)
    numbers = [each if isinstance(each, int) and each >= 0 else None for each in counts]
    _strobe.compiled.add_range(*times, *texts, *numbers)


def _cleaned(name, id, function, place, reason):
    """The texts, truncated, without characters that a C string cannot contain."""
    texts = (name[:_NAME_MAX], id, function, place, reason[:_REASON_MAX])
    return [each.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") for each in texts]


# ---- times of a compilation ----


@contextlib.contextmanager
def timed():
    """A context around a compilation, which stores the times of its begin and end."""
    compilation = _current()
    compilation.begin = compilation.begin or _strobe.compiled.now()  # outermost begin
    try:
        yield
    finally:
        compilation.end = _strobe.compiled.now()
