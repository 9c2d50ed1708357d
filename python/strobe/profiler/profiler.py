# SPDX-License-Identifier: Apache-2.0
"""The profile object: `profile` with steps, `_KinetoProfile` without."""

import os
import weakref

from .. import message
from ..run import stepping
from . import export, operator_arguments, parameters, tensor_roles
from .analysis import analyse
from .capture_table import read_events
from .events import EventList
from .folders import default_parent
from .handler import TraceHandler
from .metadata import Metadata
from .recording import Recording, weakly
from .schedules import ProfilerAction, action_of, always_record, warn_of_transition
from .schedules import schedule as _Schedule

__all__ = ["_KinetoProfile", "analyse", "profile"]

_running = weakref.WeakSet()


def stop_running():
    """At exit: stops the profiles that nobody stopped."""
    for each in list(_running):
        each.stop()


class _KinetoProfile:
    """A profile without steps: everything between start() and stop(), for the export functions."""

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
        custom_trace_id_callback=None,
        buffer=None,
        rotate=None,
        dump=None,
    ):
        given = locals()
        self._sections = {
            name: parameters.check_section(name, given[name]) for name in parameters.SECTIONS
        }
        self._switches = {
            name: parameters.check_switch(name, given[name]) for name in parameters.SWITCHES
        }
        for name, value in self._switches.items():
            setattr(self, name, value)
        self.activities = parameters.check_activities(activities)
        self.experimental_config = parameters.check_experimental(
            experimental_config, self.activities
        )
        self._trace_id_callback = parameters.check_callable(
            "custom_trace_id_callback", custom_trace_id_callback
        )
        self._trace_id = ""
        self._metadata = Metadata()
        self._recording = Recording(self._window_complete)
        self._events = None  # (result directory, its events)

    # ---- start and stop ----

    @message.reported
    def start(self):
        self._new_trace_id()
        self._start(always_record, None, None)

    @message.reported
    def stop(self):
        _running.discard(self)
        self._tell_roles()
        self._recording.stop()

    def prepare_trace(self):
        """Accepted as in torch.profiler: collectors are made ready as they start."""

    def start_trace(self):
        self.start()

    def stop_trace(self):
        self.stop()

    def _window_complete(self, is_dump):
        """The results are read when they are asked for."""
        self._write_arguments()

    def _write_arguments(self):
        """What record_op_args asked for, beside the result directory."""
        if not self._records_arguments():
            return
        try:
            operator_arguments.write(self._recording.directory)
        except Exception as error:  # the handler is called all the same
            message.error("Cannot write the arguments of operators: %s" % error)

    def _records_arguments(self):
        return self.experimental_config.record_op_args

    def _handler(self):
        """Whether there is what reads results as they are complete."""
        return self._records_arguments()

    def _start(self, user_schedule, parent, worker, steps=None):
        """`steps` maps a step to an action's number; without it the session knows the schedule."""
        config = parameters.session_config(
            self.activities,
            user_schedule,
            self._switches,
            self.experimental_config,
            self._recording.parent(self._lasting_parent(parent)),
            worker,
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

    # ---- long recordings ----

    @message.reported
    def dump(self, reason=None):
        """Writes what a flight recorder (buffer={"policy": "ring"}) holds into a result directory
        of its own, which is returned, while recording goes on; `on_trace_ready` is called then."""
        return self._recording.dump(reason)

    def _sections_given(self):
        return {name: value for name, value in self._sections.items() if value is not None}

    def collectors(self):
        """Names of the collectors of the last recording."""
        return getattr(self, "_collectors", ())

    def _is_long(self):
        """Whether it is a flight recorder or rotates: it may record for days."""
        is_ring = (self._sections["buffer"] or {}).get("policy") == "ring"
        return bool(is_ring or self._sections["rotate"] or self._sections["dump"])

    def _lasting_parent(self, parent):
        """What lies in pieces, was dumped or has files beside it is there to be kept."""
        is_kept = self._is_long() or self._records_arguments()
        return os.getcwd() if parent is None and is_kept else parent

    def __del__(self):
        recording = getattr(self, "_recording", None)
        if recording is None:
            return
        if recording.is_running():
            self.stop()
        recording.remove()

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

    def set_custom_trace_id_callback(self, callback):
        self._trace_id_callback = parameters.check_callable("custom_trace_id_callback", callback)

    def get_trace_id(self):
        """The id of the trace that is recorded or was recorded last, "" before the first."""
        return self._trace_id

    def _new_trace_id(self):
        self._trace_id = parameters.trace_id(self._trace_id_callback)
        self._metadata.trace_id = self._trace_id
        if self._recording.is_running():
            self._recording.add_metadata("trace_id", self._trace_id, False)

    # ---- results ----

    @message.reported
    def export_chrome_trace(self, output_path):
        """Writes the last window as a Chrome trace, gzipped if the path ends in .gz."""
        export.chrome_trace(self._recording.result(), output_path)

    @message.reported
    def export_stacks(self, output_path, metric="self_cpu_time_total"):
        """Writes the last window as folded stacks for flame graphs."""
        if not self.with_stack:
            message.warn("Function export_stacks() requires with_stack=True.")
            return
        export.stacks(self._recording.result(), output_path, metric)

    @message.reported
    def export_memory_timeline(self, output_path, device=None):
        """Writes the last window's memory over time by what it is for: a page (.html), every event
        (.raw.json.gz), or what was held (.json, .json.gz). `device` is "cpu" or "npu:NUMBER"; None:
        "npu:0" where the window has memory of it, else "cpu"."""
        missing = parameters.missing_for_timeline(self._switches)
        if missing:
            message.warn("%s required for memory profiling." % ", ".join(missing))
            return
        export.memory_timeline(self._recording.result(), output_path, device)

    def _tell_roles(self):
        """What tensors are for is known to Python alone, and to be told before the window ends."""
        if parameters.wants_timeline(self._switches) and self._recording.is_running():
            tensor_roles.tell()

    def events(self):
        """The operators of the last window, in order of their begin."""
        if self._recording.directory is None and stepping.run_session is not None:
            message.warn_once("strobe run records this process: its results are there, not here.")
            return EventList()
        directory = self._recording.result()
        if self._events is None or self._events[0] != directory:
            self._events = (directory, read_events(directory, self._switches))
        return self._events[1]

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """The operators of the last window by name, and input shapes or stack if asked for."""
        return self.events().key_averages(group_by_input_shape, group_by_stack_n)


class profile(_KinetoProfile):
    """A profile of a training loop: a context manager, or start(), step(), stop()."""

    def __init__(
        self,
        *,
        activities=None,
        schedule=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_modules=False,
        with_flops=False,
        experimental_config=None,
        execution_trace_observer=None,
        custom_trace_id_callback=None,
        use_cuda=None,
        buffer=None,
        rotate=None,
        dump=None,
    ):
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            custom_trace_id_callback=custom_trace_id_callback,
            buffer=buffer,
            rotate=rotate,
            dump=dump,
        )
        if use_cuda is not None:
            message.warn("This is npu environment, use_cuda is invalid")
        self.schedule = parameters.check_schedule(schedule)
        self.record_steps = self.schedule is not always_record
        self.on_trace_ready = parameters.check_callable("on_trace_ready", on_trace_ready)
        self.execution_trace_observer = execution_trace_observer
        self.step_num = 0
        self.current_action = self._action(0)
        self._is_saving = False  # the step that ends is the last of its window
        self.stopped = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.stop()

    # ---- steps ----

    @message.reported
    def start(self):
        """Starts; a second call does nothing. After stop() the schedule goes on where it was."""
        if self._recording.is_running():
            return
        self.stopped = False
        self._before(ProfilerAction.NONE, self.current_action)
        parent, worker = self._destination()
        steps = None
        is_own = self.record_steps and not isinstance(self.schedule, _Schedule)
        has_roles = self.record_steps and parameters.wants_timeline(self._switches)
        if is_own or has_roles or (self._counts_steps() and self.step_num):
            steps = weakly(self._session_action, ProfilerAction.NONE.value)
        self._start(self.schedule, parent, worker, steps)
        if self._recording.is_running():
            stepping.profile_step = weakref.WeakMethod(self.step)
        self._observe("start")

    @message.reported
    def step(self):
        """Ends a step and begins the next."""
        if self.stopped:
            message.warn("Profiler is stopped, step takes no effect!")
            return
        self.step_num += 1
        before = self.current_action
        try:
            self.current_action = self._action(self.step_num)
        finally:  # a schedule that fails leaves the action as it is; the step ends all the same
            warn_of_transition(before, self.current_action)
            self._before(before, self.current_action)
            self._is_saving = before is ProfilerAction.RECORD_AND_SAVE
            if self._counts_steps() or not self._recording.is_running():
                self._recording.step()

    @message.reported
    def stop(self):
        """Stops; a second call does nothing."""
        _running.discard(self)
        was_stopped, self.stopped = self.stopped, True
        if was_stopped or not self._recording.is_running():
            return
        stepping.profile_step = None
        try:
            if self.record_steps and not self._recording.is_telling():
                warn_of_transition(self.current_action, None)
            self._tell_roles()
            self._recording.stop()
        finally:
            self._observe("stop")

    def is_recording(self):
        """Whether it has been started, and started indeed."""
        return self._recording.is_running()

    def begin_at(self, step):
        """Before start(): the first step has this number."""
        self.step_num = step
        self.current_action = self._action(step)

    def _counts_steps(self):
        """Without a schedule only what may depend on them: dumps and rotation."""
        return self.record_steps or self._is_long()

    def _action(self, step):
        return action_of(self.schedule(step), step)

    def _session_action(self, step):
        """Each step is evaluated once, before the session asks: as a step has ended, and before its
        window does. What tensors are for is told then, for it takes its time."""
        if self._is_saving:
            self._is_saving = False
            self._tell_roles()
        return (self.current_action if step == self.step_num else self._action(step)).value

    def _before(self, before, after):
        """A window that begins gets an id; one that follows another at once gets it between."""
        if before is ProfilerAction.NONE and after is not ProfilerAction.NONE:
            self._new_trace_id()

    def _observe(self, method):
        if self.execution_trace_observer is not None:
            getattr(self.execution_trace_observer, method)()

    # ---- windows ----

    def _destination(self):
        """Parent of the result directories and worker; no parent: a private folder."""
        if isinstance(self.on_trace_ready, TraceHandler):
            handler = self.on_trace_ready
            return handler.parent(), handler.worker_name
        if self.on_trace_ready is not None:
            return default_parent() or os.getcwd(), None
        return default_parent(), None

    def _handler(self):
        return self.on_trace_ready is not None or self._records_arguments()

    def _window_complete(self, is_dump):
        try:
            self._write_arguments()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
        finally:
            if not is_dump and not self.stopped and self.current_action is not ProfilerAction.NONE:
                self._new_trace_id()

    # ---- other threads ----

    @classmethod
    def enable_profiler_in_child_thread(
        cls,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
    ):
        """Every thread is recorded without this call, with the options of the profile."""
        given = locals()
        for name in parameters.SWITCHES:
            parameters.check_switch(name, given[name])

    @classmethod
    def disable_profiler_in_child_thread(cls):
        """Counterpart of enable_profiler_in_child_thread(): nothing to undo."""
