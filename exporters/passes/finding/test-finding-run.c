/* SPDX-License-Identifier: Apache-2.0 */
#include "test-finding-run.h"

#include <string.h>

void add_operator(Run *run, const char *name, int64_t begin, int64_t end)
{
    const struct strobe_cpu_op fields = {.sequence = -1};

    strobe_mock_add(run->mock, &strobe_kind_cpu_op, run->thread,
                    strobe_mock_string(run->mock, name), begin, end, &fields);
}

void add_step(Run *run, int64_t number, int64_t begin, int64_t end)
{
    const struct strobe_step fields = {.number = number, .thread = THREAD};

    strobe_mock_add(run->mock, &strobe_kind_step, 0, strobe_mock_string(run->mock, "step"), begin,
                    end, &fields);
}

void add_gc(Run *run, StrobeTrackId track, int64_t begin, int64_t end)
{
    const struct strobe_gc fields = {.generation = 2};

    strobe_mock_add(run->mock, &strobe_kind_gc, track, 0, begin, end, &fields);
}

Run clean_run(void)
{
    Run run = {.mock = strobe_mock_new(strobe_plugin_1.components[0], -1)};

    run.thread = strobe_mock_track(run.mock, STROBE_TRACK_THREAD, THREAD, "main", "", -1);
    strobe_mock_metadata(run.mock)->window_begin_ns = 0;
    strobe_mock_metadata(run.mock)->window_end_ns = STEPS * STEP_NS;
    strobe_mock_metadata(run.mock)->n_stored = 1000;
    for (int i = 0; i < STEPS; i++) {
        int64_t at = i * STEP_NS;

        add_operator(&run, "enumerate(DataLoader)#next", at, at + 2 * MS);
        add_operator(&run, "aten::mm", at + 6 * MS, at + 30 * MS);
        add_operator(&run, "aten::linear", at + 5 * MS, at + 85 * MS);
        add_gc(&run, run.thread, at + 90 * MS, at + 91 * MS);
        /* this is a mark of the step, not an operator */
        add_operator(&run, "ProfilerStep#1", at, at + STEP_NS);
        add_step(&run, i, at, at + STEP_NS);
    }
    return run;
}

const struct strobe_finding *find_finding(Run *run, const char *id)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(run->mock, &views);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(views[i].kind->name, "finding") &&
            !strcmp(strobe_mock_text(run->mock, views[i].name), id))
            return views[i].fields;
    return NULL;
}

guint count_findings(Run *run)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(run->mock, &views);
    guint found = 0;

    for (size_t i = 0; i < n; i++)
        found += !strcmp(views[i].kind->name, "finding");
    return found;
}

void finish_run(Run *run)
{
    g_assert_cmpint(strobe_mock_run(run->mock), ==, STROBE_OK);
}

const struct strobe_finding *expect_only(Run *run, const char *id, const char *severity)
{
    finish_run(run);
    const struct strobe_finding *finding = find_finding(run, id);

    g_assert_nonnull(finding);
    g_assert_cmpuint(count_findings(run), ==, 1);
    g_assert_cmpstr(strobe_mock_text(run->mock, finding->severity), ==, severity);
    g_assert_cmpstr(strobe_mock_text(run->mock, finding->summary), !=, "");
    g_assert_cmpstr(strobe_mock_text(run->mock, finding->evidence), !=, "");
    g_assert_cmpstr(strobe_mock_text(run->mock, finding->advice), !=, "");
    g_assert_cmpuint(finding->count, >, 0);
    return finding;
}
