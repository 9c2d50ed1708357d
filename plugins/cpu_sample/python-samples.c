/* SPDX-License-Identifier: Apache-2.0 */
#include "python-samples.h"

#include <stdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include <time.h>

#define METADATA_ENTRY "cpu_sample_python"
#define READABLE "frames of 3.11 to 3.13 with the global lock can be read"

void python_samples_begin(PythonSamples *samples, int is_wanted)
{
    samples->is_wanted = is_wanted;
    samples->has_found = 0;
    samples->n_joined = samples->n_torn = samples->n_late = 0;
    samples->memory.read = process_memory_read_live;
    samples->memory.user = &samples->pid;
}

static int is_late(const Sample *sample)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return ns > sample->time && ns - sample->time > PYTHON_SAMPLE_AGE_NS;
}

const PythonCallers *python_samples_join(PythonSamples *samples, SampledProcess *process,
                                         const Sample *sample)
{
    PythonProcess *python = &process->python;
    int result;

    samples->pid = (pid_t)sample->pid;
    if (!samples->is_wanted ||
        !python_process_search(python, &samples->memory, samples->pid, &process->space))
        return NULL;
    samples->has_found = 1;
    if (!call_chain_has(&process->space, sample->addresses, sample->n_addresses, python->code))
        return NULL;
    if (is_late(sample)) {
        samples->n_late++;
        return NULL;
    }
    result = python_frames_read(&python->interpreter, &samples->memory, (pid_t)sample->tid,
                                &samples->stack);
    samples->n_torn += result == PYTHON_STACK_TORN;
    if (result != PYTHON_STACK_READ)
        return NULL;
    samples->n_joined++;
    samples->callers = (PythonCallers){python->code, &samples->stack};
    return &samples->callers;
}

/* Writes to `text` why the process's Python functions have no names, and returns it. Returns NULL
 * if there is no problem. */
static const char *write_problem(const PythonProcess *python, char *text, size_t size)
{
    if (python->state == PYTHON_REFUSED) {
        snprintf(text, size,
                 "Python functions have no names: the memory of the process may not be read "
                 "(process_vm_readv: a container's filter of system calls, or "
                 "kernel.yama.ptrace_scope above 0; give strobe-writer CAP_SYS_PTRACE)");
        return text;
    }
    if (python->state != PYTHON_UNSUPPORTED)
        return NULL;
    if (!python->version)
        snprintf(text, size,
                 "Python functions have no names: the interpreter is older than CPython "
                 "3.11; " READABLE);
    else
        snprintf(text, size,
                 "Python functions have no names: the interpreter is CPython %u.%u.%u%s; " READABLE,
                 python->version >> 24, python->version >> 16 & 0xff, python->version >> 8 & 0xff,
                 python->version >> 16 == 0x030d ? ", built without the global lock" : "");
    return text;
}

void python_samples_report(const StrobeHost *host, StrobeInstance *self, SampledProcess *process)
{
    char text[512];
    const char *problem =
        process->is_reported ? NULL : write_problem(&process->python, text, sizeof text);

    if (!problem)
        return;
    process->is_reported = 1;
    host->log(self, STROBE_LOG_WARNING, "%s", problem);
}

void python_samples_record(const PythonSamples *samples, const StrobeHost *host,
                           StrobeInstance *self, StrobeKindId kind, StrobeTrackId track)
{
    StrobeWriter *writer = samples->has_found ? host->writer(self) : NULL;
    char text[128];
    int length = snprintf(text, sizeof text, "{\"joined\": %llu, \"torn\": %llu, \"late\": %llu}",
                          (unsigned long long)samples->n_joined,
                          (unsigned long long)samples->n_torn, (unsigned long long)samples->n_late);

    if (!writer)
        return;
    StrobeStringId value = host->intern(writer, text, (size_t)length);
    StrobeStringId name = host->intern(writer, METADATA_ENTRY, strlen(METADATA_ENTRY));
    struct strobe_metadata *entry = host->reserve(writer, kind, track, name, host->now(), 0);
    if (!entry)
        return;
    *entry = (struct strobe_metadata){.value = value, .is_json = 1};
    host->commit(writer);
}
