/* SPDX-License-Identifier: Apache-2.0 */
/* Records of device kinds for tests: every field absent but for what the test says. */
#ifndef STROBE_PASSES_TEST_DEVICE_H
#define STROBE_PASSES_TEST_DEVICE_H

#include <glib.h>
#include <mock-consumer-host.h>

#include "device-record.h"

extern const StrobePlugin strobe_plugin_1;

/* A host of the plugin's component, of a source of this generation. */
static inline StrobeMockHost *test_device_host(int32_t generation)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    strobe_mock_metadata(mock)->generation = generation;
    strobe_mock_metadata(mock)->level = 1;
    return mock;
}

#define TEST_FIELDS(type_, name_)                                                                  \
    struct strobe_##type_ name_;                                                                   \
    device_fields_absent(&strobe_kind_##type_, &name_)

#define TEST_ADD(mock_, type_, track_, text_, begin_, end_, fields_)                               \
    strobe_mock_add(mock_, &strobe_kind_##type_, track_, strobe_mock_string(mock_, text_), begin_, \
                    end_, fields_)

static inline StrobeTrackId test_thread(StrobeMockHost *mock, uint64_t tid)
{
    return strobe_mock_track(mock, STROBE_TRACK_THREAD, tid, "", "", -1);
}

static inline StrobeTrackId test_stream(StrobeMockHost *mock, int32_t device, uint64_t stream)
{
    return strobe_mock_track(mock, STROBE_TRACK_STREAM, stream, "", "Ascend Hardware", device);
}

static inline void test_task(StrobeMockHost *mock, StrobeTrackId stream, const char *name,
                             const char *type, int64_t begin_ns, int64_t end_ns, uint64_t task)
{
    TEST_FIELDS(device_task, fields);
    fields.is_kernel = 1;
    fields.task = task;
    fields.task_type = fields.core = strobe_mock_string(mock, type);
    fields.op_type = strobe_mock_string(mock, name);
    TEST_ADD(mock, device_task, stream, name, begin_ns, end_ns, &fields);
}

static inline void test_step(StrobeMockHost *mock, int64_t number, int64_t host_begin_ns,
                             int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(step_range, fields);
    fields.number = number;
    fields.host_begin = host_begin_ns;
    fields.device = 0;
    TEST_ADD(mock, step_range, 0, "ProfilerStep", begin_ns, end_ns, &fields);
}

#endif
