# SPDX-License-Identifier: Apache-2.0
"""The results of a profile, with the names of torch.autograd.profiler.profile."""

import uuid


class KinetoResults:
    """The records of a profile's last window."""

    def __init__(self, owner):
        self._owner = owner

    def events(self):
        return self._owner.events()

    def save(self, path):
        """Writes a Chrome trace."""
        self._owner.export_chrome_trace(path)

    def trace_start_ns(self):
        """The origin of the events' times, in ns since the epoch."""
        return self._owner.events().begin_ns


class ProfileResults:
    """The results of a profile, with the names of torch.autograd.profiler.profile."""

    def __init__(self, owner):
        self._owner = owner

    @property
    def kineto_results(self):
        return KinetoResults(self._owner)

    @property
    def function_events(self):
        return self._owner.events()

    @property
    def self_cpu_time_total(self):
        return self._owner.events().self_cpu_time_total

    @property
    def trace_id(self):
        return self._owner.get_trace_id()

    def key_averages(
        self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False
    ):
        return self._owner.key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self):
        return self._owner.events().total_average()

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
    ):
        return self._owner.events().table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def export_chrome_trace(self, path, metadata=None, use_python_export=False):
        """Writes a Chrome trace. `metadata` maps keys to JSON texts that are added to the trace."""
        for key, value in (metadata or {}).items():
            self._owner.add_metadata_json(key, value)
        self._owner.export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        self._owner.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled, activities):
        self._owner.toggle_collection_dynamic(enabled, activities)

    def default_trace_id(self):
        return uuid.uuid4().hex.upper()

    def create_trace_id(self):
        """An id in the format of window ids."""
        callback = self._owner.custom_trace_id_callback
        return callback() if callback else self.default_trace_id()

    def __str__(self):
        return str(self._owner.events())

    __repr__ = __str__
