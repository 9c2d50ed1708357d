/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the window of a record by its begin, because records come seconds late. Times are of the
 * clock that is never set (npu-clock.h). */
#ifndef STROBE_PLUGINS_NPU_TASK_WINDOWS_H
#define STROBE_PLUGINS_NPU_TASK_WINDOWS_H

#include <stdint.h>

/* number of ended windows that are kept, to recognise their late records */
#define NPU_WINDOWS 64u

typedef struct NpuWindow {
    uint64_t begin, end;
} NpuWindow;

typedef struct NpuWindows {
    uint64_t begin, end; /* begin and end of the window that is being recorded; UINT64_MAX: none */
    uint32_t n;
    NpuWindow past[NPU_WINDOWS];
} NpuWindows;

enum { NPU_IN_WINDOW, NPU_LATE, NPU_OUTSIDE };

static inline void npu_windows_init(NpuWindows *windows)
{
    *windows = (NpuWindows){.begin = UINT64_MAX, .end = UINT64_MAX};
}

/* Begins a session. Keeps the windows of earlier sessions. */
static inline void npu_windows_open(NpuWindows *windows)
{
    windows->begin = windows->end = UINT64_MAX;
}

static inline void npu_windows_begin(NpuWindows *windows, uint64_t now)
{
    windows->begin = now;
    windows->end = UINT64_MAX;
}

static inline void npu_windows_end(NpuWindows *windows, uint64_t now)
{
    windows->end = now;
}

/* Ends the time in which the window's records are accepted: adds the window to `past`. */
static inline void npu_windows_seal(NpuWindows *windows)
{
    windows->past[windows->n++ % NPU_WINDOWS] = (NpuWindow){windows->begin, windows->end};
    windows->begin = windows->end = UINT64_MAX;
}

static inline int npu_windows_of_past(const NpuWindows *windows, uint64_t begin)
{
    uint32_t n = windows->n < NPU_WINDOWS ? windows->n : NPU_WINDOWS;

    for (uint32_t i = 0; i < n; i++)
        if (begin >= windows->past[i].begin && begin <= windows->past[i].end)
            return NPU_LATE;
    return NPU_OUTSIDE;
}

/* Returns NPU_IN_WINDOW if a record with this begin belongs to the window, NPU_LATE if it belongs
 * to an earlier one, otherwise NPU_OUTSIDE. A record that begins after the window's end still
 * belongs to this window, because the next window begins only when this one is sealed. */
static inline int npu_windows_place(const NpuWindows *windows, uint64_t begin)
{
    if (__builtin_expect(windows->begin != UINT64_MAX && begin >= windows->begin, 1))
        return NPU_IN_WINDOW;
    return npu_windows_of_past(windows, begin);
}

#endif
