# SPDX-License-Identifier: Apache-2.0
"""_KinetoProfile: a profile without steps, and the methods that every profile has."""

import os
import weakref

from .. import message
from ..run import stepping
from . import activity, export, opencl_layer, operator_arguments, parameters, tensor_roles
from .capture_table import Request
from .metadata import Metadata
from .prof_interface import ProfInterface
from .profile_results import ProfileResults
from .recording import Recording
from .schedules import always_record
from .schedules import schedule as _Schedule
from .windows import Windows

_running = weakref.WeakSet()


def stop_running():
    """At exit: stops the profiles that are still running."""
    for each in list(_running):
        each.stop()


def forget_running(prof):
    """Removes a stopped profile from the list of profiles that stop_running() stops."""
    _running.discard(prof)


class _KinetoProfile:
    """A profile without steps: it records from start() to stop(), for the export functions."""

    step_num = 0

    def __init__(
        self,
        *,
        activities=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        buffer=None,
        rotate=None,
        dump=None,
    ):
        given = locals()
        parameters.warn_of_variables()
        self._sections = {
            name: parameters.check_section(name, given[name]) for name in parameters.SECTIONS
        }
        self._switches = {
            name: parameters.check_switch(name, given[name]) for name in parameters.SWITCHES
        }
        for name, value in self._switches.items():
            setattr(self, name, value)
        activities = list(activities) if activities else None
        self.activities = parameters.check_activities(activities)
        self._filter = parameters.check_filter(activities)
        self.experimental_config = parameters.check_experimental(
            experimental_config, self.activities
        )
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = parameters.check_switch("acc_events", acc_events)
        self.post_processing_timeout_s = parameters.check_timeout(post_processing_timeout_s)
        self.set_custom_trace_id_callback(custom_trace_id_callback)
        self._trace_id = ""
        self._metadata = Metadata()
        self._windows = Windows(self.acc_events)
        self._recording = Recording(self._window_complete, self._windows)
        self._was_started = False

    # ---- start and stop ----

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.stop()
        self._observe("cleanup")

    @message.reported
    def start(self):
        self._new_trace_id()
        if not self._recording.is_running():
            self._observe("start")
        self._start(always_record, None, None)

    @message.reported
    def stop(self):
        forget_running(self)
        if self._recording.is_running():
            self._observe("stop")
        self._tell_roles()
        self._recording.stop()

    def prepare_trace(self):
        """Does nothing, because start() prepares the collectors; torch.profiler has this method."""

    def start_trace(self):
        self.start()

    def stop_trace(self):
        self.stop()

    def _observe(self, method):
        """Calls a method of the execution trace observer if it exists."""
        call = getattr(self.execution_trace_observer, method, None)
        try:
            if call is not None:
                call()
        except Exception as error:  # the recording continues
            message.error("execution_trace_observer.%s() failed: %s" % (method, error))

    def _window_complete(self, is_dump):
        """Called when a window is complete. The window's results are read later, when they are
        needed."""
        self._write_arguments()

    def _write_arguments(self):
        """Writes the arguments of operators for record_op_args, next to the result directory."""
        if not self._records_arguments():
            return
        try:
            operator_arguments.write(self._recording.directory)
        except Exception as error:  # the handler is still called
            message.error("Cannot write the arguments of operators: %s" % error)

    def _records_arguments(self):
        return self.experimental_config.record_op_args

    def _handler(self):
        """Whether results are read as soon as they are complete."""
        return self._records_arguments()

    def _start(self, user_schedule, parent, worker, steps=None):
        """Starts the session. `steps` maps a step to the number of an action; without `steps` the
        session uses its own schedule."""
        config = parameters.session_config(
            self.activities,
            user_schedule,
            self._switches,
            self.experimental_config,
            self._recording.parent(self._lasting_parent(parent)),
            worker,
            self._filter,
        )
        config.update(self._sections_given())
        self._collectors = tuple(config["collectors"])
        if isinstance(user_schedule, _Schedule) and steps is None:
            config["schedule"] = {
                name: int(value) for name, value in user_schedule.settings().items()
            }
        first_step = 0 if steps is None else self.step_num
        self._recording.start(config, self._metadata, steps, first_step, self._handler())
        if self._recording.is_running():
            _running.add(self)
            self._was_started = True
            if "opencl" in self._collectors:
                opencl_layer.name_layer()

    # ---- long recordings ----

    @message.reported
    def dump(self, reason=None):
        """Makes a flight recorder (buffer={"policy": "ring"}) write its records to a separate
        result directory, and returns this directory. Recording continues. `on_trace_ready` is
        called afterwards."""
        return self._recording.dump(reason)

    def _sections_given(self):
        return {name: value for name, value in self._sections.items() if value is not None}

    def collectors(self):
        """Names of the collectors of the last recording."""
        return getattr(self, "_collectors", ())

    @property
    def use_device(self):
        """PyTorch's name for the recorded device, None if there is none."""
        has_device = any(name in self.collectors() for name in parameters.DEVICE_COLLECTORS)
        return activity.device_name(self.activities) if has_device else None

    def _is_long(self):
        """Whether the profile is a flight recorder or rotates its result, so that it may record for
        days."""
        is_ring = (self._sections["buffer"] or {}).get("policy") == "ring"
        return bool(is_ring or self._sections["rotate"] or self._sections["dump"])

    def _lasting_parent(self, parent):
        """The parent of the result directories: `parent`, or without one the working directory if
        the result must be kept."""
        is_kept = self._is_long() or self._records_arguments()
        return os.getcwd() if parent is None and is_kept else parent

    def __del__(self):
        recording = getattr(self, "_recording", None)
        if recording is None:
            return
        if recording.is_running():
            self.stop()
        recording.remove()

    @message.reported
    def toggle_collection_dynamic(self, enable, activities):
        """Pauses or resumes recording these activities in the current window."""
        names = parameters.collectors_of(activities, self.collectors())
        self._recording.toggle(names, bool(enable))

    # ---- metadata ----

    @message.reported
    def add_metadata(self, key, value):
        """Adds a text to profiler_metadata.json, in every cycle."""
        if self._metadata.add(key, value, False):
            self._recording.add_metadata(key, value, False)

    @message.reported
    def add_metadata_json(self, key, value):
        """Adds a value that is JSON text to profiler_metadata.json, in every cycle."""
        if self._metadata.add(key, value, True):
            self._recording.add_metadata(key, value, True)

    @message.reported
    def preset_metadata_json(self, key, value):
        """Before start(): the same as add_metadata_json()."""
        self.add_metadata_json(key, value)

    def set_custom_trace_id_callback(self, callback):
        """`callback` returns the id of each window that begins from now on."""
        self.custom_trace_id_callback = parameters.check_callable(
            "custom_trace_id_callback", callback
        )

    def get_trace_id(self):
        """The id of the current or last trace; "" before the first trace."""
        return self._trace_id

    def _new_trace_id(self):
        self._trace_id = parameters.trace_id(self.custom_trace_id_callback)
        self._metadata.trace_id = self._trace_id
        if self._recording.is_running():
            self._recording.add_metadata("trace_id", self._trace_id, False)

    # ---- results ----

    @property
    def prof_if(self):
        """This profile with the names of torch_npu, for handlers written for torch_npu."""
        return ProfInterface(self)

    @property
    def profiler(self):
        """The results with the names of torch.autograd.profiler; None before the first start."""
        return ProfileResults(self) if self._was_started else None

    @message.reported
    def export_chrome_trace(self, path, use_python_export=False):
        """Writes the last window as a Chrome trace, gzipped if the path ends in .gz.
        `use_python_export` is accepted as in torch.profiler and changes nothing."""
        export.chrome_trace(self._recording.result(), path)

    @message.reported
    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes the last window as folded stacks for flame graphs."""
        if not self.with_stack:
            message.warn("Function export_stacks() requires with_stack=True.")
            return
        export.stacks(self._recording.result(), path, metric)

    @message.reported
    def export_memory_timeline(self, path, device=None):
        """Writes the last window's memory over time, by the purpose of the memory: as a page
        (.html), as a list of all events (.raw.json.gz), or as allocated bytes (.json, .json.gz).
        `device` is "cpu" or "npu:NUMBER"; None: "npu:0" if the window has memory of this device,
        otherwise "cpu"."""
        missing = parameters.missing_for_timeline(self._switches)
        if missing:
            message.warn("%s required for memory profiling." % ", ".join(missing))
            return
        export.memory_timeline(self._recording.result(), path, device)

    def _tell_roles(self):
        """Sends the roles of tensors to the collector before the window ends; only Python knows the
        roles."""
        if parameters.wants_timeline(self._switches) and self._recording.is_running():
            tensor_roles.tell()

    def events(self):
        """The operators of the last window, in the order of their begin; with acc_events the
        operators of all windows. If no window is complete, the list is empty, and a WARNING is
        printed."""
        self._recording.await_result()
        if self._recording.directory is None:
            self._warn_of_no_window()
        return self._windows.events(self._recording.directory, self._request())

    def _warn_of_no_window(self):
        if stepping.run_session is not None:
            message.warn_once("strobe run records this process: its result has the events.")
            return
        message.warn("No window of this profile is complete: there are no events.")

    def _request(self):
        return Request(
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
            with_flops=self.with_flops,
            device=self.use_device,
            filter=self._filter,
            timeout_s=self.post_processing_timeout_s,
        )

    def key_averages(
        self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False
    ):
        """Averages of the events by name and, on request, by overload name, input shapes or
        stack."""
        return self.events().key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )
