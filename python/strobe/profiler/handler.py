# SPDX-License-Identifier: Apache-2.0
"""tensorboard_trace_handler: a result directory for each window, analysed at once."""

import os
import socket

from .. import message
from . import torch_trace
from .analysis import TensorBoard, analyse_result
from .folders import checked_directory, checked_worker, default_parent, place_result

#: Collectors whose results MindStudio Insight shows, not TensorBoard.
NPU_COLLECTORS = ("npu_task",)


class TraceHandler:
    """The result of tensorboard_trace_handler(). The profile uses the handler's directory and
    worker name; the handler has no other state."""

    def __init__(self, directory, worker_name, analyse_flag, async_mode, use_gzip, third):
        self.directory = directory
        self.worker_name = worker_name
        self.analyse_flag = analyse_flag
        self.async_mode = async_mode
        self.use_gzip = use_gzip
        self._third = third  # the third argument: use_gzip for PyTorch's own profile
        self._tensorboard_worker = None

    def parent(self):
        """The parent of the result directories."""
        return self.directory or default_parent() or os.getcwd()

    def __call__(self, prof):
        """Called when a window of `prof` is complete; `prof` may be PyTorch's own profile."""
        recording = getattr(prof, "_recording", None)
        if recording is None:
            self._write_trace_of_torch(prof)
            return
        if prof.on_trace_ready is not self:  # a handler of the user called this one
            recording.directory = place_result(
                recording.result(), self.parent(), self.worker_name
            )
        if self.analyse_flag:
            analyse_result(
                recording.result(), self.async_mode, self.use_gzip, self._tensorboard(prof)
            )

    @message.reported
    def _write_trace_of_torch(self, prof):
        use_gzip = self.use_gzip or self._third is True
        torch_trace.write(prof, self.parent(), self._worker(), use_gzip)

    def _tensorboard(self, prof):
        """The folder in which TensorBoard's plugin looks for traces, and the worker in their names.
        None if an NPU is profiled, because the NPU's tools read the result directory itself."""
        if any(name in NPU_COLLECTORS for name in prof.collectors()):
            return None
        return TensorBoard(self.parent(), self._worker())

    def _worker(self):
        """The worker's name. It is chosen once, so that the traces of all windows have the same
        worker."""
        if self._tensorboard_worker is None:
            self._tensorboard_worker = self.worker_name or "%s_%d" % (
                socket.gethostname(),
                os.getpid(),
            )
        return self._tensorboard_worker


def tensorboard_trace_handler(
    dir_name=None,
    worker_name=None,
    analyse_flag=None,
    async_mode=False,
    use_gzip=False,
    use_python_export=None,
):
    """A function for on_trace_ready that writes a result directory in `dir_name` for each window.
    If no NPU is profiled, it also writes a trace for TensorBoard's profiler plugin next to it.

    `analyse_flag`: make the output files at once (default: True); `async_mode`: do not wait for
    them; `use_gzip`: compress the traces. Returns None, with an ERROR line, if `dir_name` is a
    file.

    In torch.profiler the third argument is `use_gzip`, and there is an argument
    `use_python_export`. Here the third argument means `use_gzip` if PyTorch's own profile gets the
    handler, or if the call has `use_python_export`, which has no other effect.
    """
    third = analyse_flag
    if use_python_export is not None or analyse_flag is None:
        analyse_flag = True
    if use_python_export is not None and third is not None:
        use_gzip = third
    try:
        return TraceHandler(
            checked_directory(dir_name),
            checked_worker(worker_name),
            _checked_bool("analyse_flag", analyse_flag, True),
            _checked_bool("async_mode", async_mode, False),
            _checked_bool("use_gzip", use_gzip, False),
            third,
        )
    except Exception as error:
        message.error("Call tensorboard_trace_handler failed. Exception: %s" % error)
        return None


def _checked_bool(name, value, instead):
    if isinstance(value, bool):
        return value
    message.warn("%s is not bool, set by default." % name)
    return instead
