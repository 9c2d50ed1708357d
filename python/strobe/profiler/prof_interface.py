# SPDX-License-Identifier: Apache-2.0
"""prof.prof_if: the interface of a profile for handlers that were written for torch_npu."""

from .. import message
from .analysis import analyse_result

_HANDLER = "tensorboard_trace_handler"


class ProfInterface:
    """The results of a profile, with the names of the object `prof_if` of torch_npu's profiles."""

    def __init__(self, prof):
        self._prof = prof

    def __getattr__(self, name):
        """Returns switches, activities, schedule and experimental_config of the profile."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._prof, name)

    @property
    def prof_path(self):
        """The result directory that was completed last; "" if there is none yet."""
        return self._prof._recording.directory or ""

    @property
    def trace_id(self):
        return self._prof.get_trace_id()

    def analyse(self, analysis_type=_HANDLER, output_path=None, async_mode=False, **options):
        """Makes the output files of `prof_path`; with `async_mode`, does not wait for them. The
        type "export_chrome_trace", "export_stack" or "export_memory_timeline" writes `output_path`.
        """
        prof = self._prof
        exports = {
            "export_chrome_trace": prof.export_chrome_trace,
            "export_stack": prof.export_stacks,
            "export_memory_timeline": prof.export_memory_timeline,
        }
        try:
            if analysis_type == _HANDLER:
                analyse_result(prof._recording.result(), bool(async_mode))
            else:
                known = {name: options[name] for name in ("metric", "device") if name in options}
                exports[analysis_type](output_path, **known)
        except KeyError:
            message.warn("Profiling data parsing failed, error: %r is not one of %s"
                         % (analysis_type, ", ".join([_HANDLER, *exports])))
        except Exception as error:
            message.warn("Profiling data parsing failed, error: %s" % error)
