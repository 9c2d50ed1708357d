# SPDX-License-Identifier: Apache-2.0
"""ProfPathCreator: the folder of results if the script has its own handler, as in torch_npu.

    from strobe.profiler._profiler_path_creator import ProfPathCreator

    def local_first(dir_name):
        ProfPathCreator().init(dir_name=dir_name)

        def handler(prof):
            prof.prof_if.analyse()
            shutil.move(ProfPathCreator().get_prof_dir(), "/mnt/results")

        return handler
"""

import os
import shutil

from .. import message
from .folders import checked_directory, checked_worker, default_parent

__all__ = ["ProfPathCreator"]


class ProfPathCreator:
    """The process has one such object, which each call of the class returns."""

    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
            cls._only._forget()
        return cls._only

    def _forget(self):
        self._worker = self._directory = self._result = None

    @message.reported
    def init(self, worker_name=None, dir_name=None, export_only_mode=False):
        """Sets worker and folder for profiles that start from now on with the script's own handler.
        `export_only_mode` is accepted as in torch_npu and changes nothing, because a profile
        without a handler does not use this object."""
        self._worker = checked_worker(worker_name)
        self._directory = checked_directory(dir_name)

    def get_prof_dir(self):
        """The result directory that was completed last; None if there is none yet."""
        return self._result

    @message.reported
    def delete_prof_dir(self):
        """Removes that directory."""
        if self._result is not None:
            shutil.rmtree(self._result)

    def destination(self):
        """Parent of the result directories, and the worker's name (None: the host's name)."""
        return self._directory or default_parent() or os.getcwd(), self._worker

    def set_result(self, directory):
        self._result = directory
