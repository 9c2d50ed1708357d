# SPDX-License-Identifier: Apache-2.0
"""profile: a profile with steps, each with an action."""

import collections
import weakref

from .. import message
from ..run import stepping
from . import child_thread, parameters
from ._profiler_path_creator import ProfPathCreator
from .activity import has_device
from .analysis import analyse
from .folders import default_parent, raw_parent
from .handler import TraceHandler
from .kineto_profile import _KinetoProfile, forget_running
from .recording import weakly
from .schedules import ProfilerAction, action_of, always_record, warn_of_transition
from .schedules import schedule as _Schedule

__all__ = ["_KinetoProfile", "analyse", "profile"]

_ACTIONS_KEPT = 1000  # number of steps

_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


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
        acc_events=False,
        use_cuda=None,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        buffer=None,
        rotate=None,
        dump=None,
    ):
        super().__init__(
            activities=parameters.with_cuda(activities, use_cuda),
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer or parameters.observer_of_env(),
            acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
            post_processing_timeout_s=post_processing_timeout_s,
            buffer=buffer,
            rotate=rotate,
            dump=dump,
        )
        self.schedule = parameters.check_schedule(schedule)
        self.record_steps = self.schedule is not always_record
        self.on_trace_ready = parameters.check_callable("on_trace_ready", on_trace_ready)
        self.step_num = 0
        self.current_action = self._action(0)
        self._is_saving = False  # the ending step is the last of its window
        self.action_trace = collections.deque(maxlen=_ACTIONS_KEPT)  # actions of the last steps
        self.stopped = False

    # ---- steps ----

    @message.reported
    def start(self):
        """Starts; a second call does nothing. After stop() the schedule continues."""
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
        self._observe_transition(None, self.current_action)
        self._start(self.schedule, parent, worker, steps)
        self.action_trace.append(self.current_action)
        if self._recording.is_running():
            stepping.profile_step = weakref.WeakMethod(self.step)

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
        finally:  # if the schedule raises, the action stays, and the step ends
            self._end_step(before)

    def _end_step(self, before):
        warn_of_transition(before, self.current_action)
        self.action_trace.append(self.current_action)
        self._before(before, self.current_action)
        self._is_saving = before is ProfilerAction.RECORD_AND_SAVE
        self._observe_transition(before, self.current_action)
        if self._counts_steps() or not self._recording.is_running():
            self._recording.step()

    @message.reported
    def stop(self):
        """Stops; a second call does nothing."""
        forget_running(self)
        was_stopped, self.stopped = self.stopped, True
        if was_stopped or not self._recording.is_running():
            return
        stepping.profile_step = None
        if self.record_steps and not self._recording.is_telling():
            warn_of_transition(self.current_action, None)
        self._tell_roles()
        self._observe_transition(self.current_action, None)
        self._recording.stop()

    def is_recording(self):
        """Whether the profile was started successfully and still runs."""
        return self._recording.is_running()

    def begin_at(self, step):
        """Before start(): sets the number of the first step."""
        self.step_num = step
        self.current_action = self._action(step)

    def _counts_steps(self):
        """Whether the session must get the steps. Without a schedule, only dumps and rotation need
        steps."""
        return self.record_steps or self._is_long()

    def _action(self, step):
        return action_of(self.schedule(step), step)

    def _session_action(self, step):
        """The number of the step's action. The session calls this once for each step, after the
        previous step has ended and before its window ends. If a window is about to end, sends the
        roles of tensors first, because this takes time."""
        if self._is_saving:
            self._is_saving = False
            self._tell_roles()
        return (self.current_action if step == self.step_num else self._action(step)).value

    def _before(self, before, after):
        """Gives a window that begins after a pause a new trace id. A window that directly follows
        another one gets its id between the two windows."""
        if before is ProfilerAction.NONE and after is not ProfilerAction.NONE:
            self._new_trace_id()

    def _observe_transition(self, before, after):
        """Stops the execution trace observer when a window ends, and starts it when a window
        begins."""
        is_end = before is ProfilerAction.RECORD_AND_SAVE or after not in _RECORDS
        if before in _RECORDS and is_end:
            self._observe("stop")
        is_begin = before is ProfilerAction.RECORD_AND_SAVE or before not in _RECORDS
        if after in _RECORDS and is_begin:
            self._observe("start")

    # ---- windows ----

    def _destination(self):
        """(parent of the result directories, worker). Parent None: a private folder."""
        if isinstance(self.on_trace_ready, TraceHandler):
            handler = self.on_trace_ready
            return handler.parent(), handler.worker_name
        if self.on_trace_ready is not None:
            return ProfPathCreator().destination()
        return default_parent() or (raw_parent() if self._keeps_raw() else None), None

    def _keeps_raw(self):
        """Whether results are kept if there is no handler. Results of an NPU are kept, so that
        `analyse()` can read them later."""
        return has_device(self.activities) and parameters.has_cann()

    def _handler(self):
        return self.on_trace_ready is not None or self._records_arguments()

    def _window_complete(self, is_dump):
        try:
            self._write_arguments()
            ProfPathCreator().set_result(self._recording.directory)
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
        """From now on, records operators of the calling thread with these options. Without this
        call the options of the profile apply. `with_stack`, `with_flops` and `with_modules` have an
        effect only if the profile has them too. `profile_memory` has no effect: memory is recorded
        for all threads or for none."""
        given = locals()
        switches = {name: parameters.check_switch(name, given[name])
                    for name in parameters.SWITCHES}
        child_thread.enable(switches)

    @classmethod
    def disable_profiler_in_child_thread(cls):
        """From now on, records operators of the calling thread with the options of the profile."""
        child_thread.disable()
