/* SPDX-License-Identifier: Apache-2.0 */
#include "sample-tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>

#define POOL_PREFIX "/strobe-"
#define POOL_SUFFIX ".pool"

static SampledProcess *find_process(const Tasks *tasks, pid_t pid)
{
    return (SampledProcess *)number_table_find(&tasks->processes, (uint64_t)pid);
}

static SampledProcess *add_process(Tasks *tasks, pid_t pid)
{
    SampledProcess *process = calloc(1, sizeof *process);

    if (process && number_table_add(&tasks->processes, (uint64_t)pid, (uintptr_t)process) == 0)
        return process;
    free(process);
    return NULL;
}

SampledProcess *tasks_process(Tasks *tasks, pid_t pid)
{
    SampledProcess *process = find_process(tasks, pid);

    if (!process)
        process = add_process(tasks, pid);
    if (process && process->n_threads == 0) {
        process->n_threads = 1;
        address_space_read(&process->space, &tasks->objects, pid);
    }
    return process;
}

void tasks_refresh(Tasks *tasks, pid_t pid, uint32_t now)
{
    SampledProcess *process = tasks_process(tasks, pid);

    if (!process || process->n_read == now)
        return;
    process->n_read = now;
    address_space_read(&process->space, &tasks->objects, pid);
}

static void read_name(SampledThread *thread, pid_t pid, pid_t tid)
{
    char path[64], text[32];

    snprintf(path, sizeof path, "%d/task/%d/comm", (int)pid, (int)tid);
    if (strobe_sys_read_path("/proc", path, text, sizeof text) > 0)
        snprintf(thread->name, sizeof thread->name, "%.*s", (int)strcspn(text, "\n"), text);
}

SampledThread *tasks_thread(Tasks *tasks, pid_t pid, pid_t tid)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .clock = STROBE_CLOCK_MONOTONIC,
                               .device = -1,
                               .id = (uint64_t)tid};
    SampledThread *thread = (SampledThread *)number_table_find(&tasks->threads, (uint64_t)tid);

    if (thread || !(thread = calloc(1, sizeof *thread)))
        return thread;
    thread->track = tasks->host->track(tasks->self, &track);
    read_name(thread, pid, tid);
    if (number_table_add(&tasks->threads, (uint64_t)tid, (uintptr_t)thread) == 0)
        return thread;
    free(thread);
    return NULL;
}

void tasks_fork(Tasks *tasks, pid_t parent, pid_t pid)
{
    SampledProcess *process = find_process(tasks, pid), *from;

    if (parent == pid) {
        if (process)
            process->n_threads++;
        return;
    }
    from = tasks_process(tasks, parent);
    if (!process)
        process = add_process(tasks, pid);
    if (!process || !from)
        return;
    process->n_threads = 1;
    /* a child of a recorded process is recorded as well */
    process->is_recorded = from->is_recorded;
    address_space_copy(&process->space, &from->space);
}

/* Processes the end of a thread. A process ends with its last thread. */
void tasks_exit(Tasks *tasks, pid_t pid)
{
    SampledProcess *process = find_process(tasks, pid);

    if (process && process->n_threads > 0 && --process->n_threads == 0) {
        address_space_clear(&process->space);
        python_process_clear(&process->python);
        process->unwound_start = 0;
    }
}

void tasks_rename(Tasks *tasks, pid_t pid, pid_t tid, const char *name)
{
    SampledThread *thread = tasks_thread(tasks, pid, tid);

    if (thread)
        snprintf(thread->name, sizeof thread->name, "%s", name);
}

void tasks_exec(Tasks *tasks, pid_t pid)
{
    SampledProcess *process = find_process(tasks, pid);

    if (!process && !(process = add_process(tasks, pid)))
        return;
    process->n_threads = 1;
    process->is_recorded = 0;
    process->unwound_start = 0;
    address_space_empty(&process->space);
    python_process_clear(&process->python);
}

void tasks_map(Tasks *tasks, pid_t pid, const CodeMapping *mapping)
{
    SampledProcess *process = tasks_process(tasks, pid);
    CodeObject *object = code_objects_find(&tasks->objects, pid, mapping);

    if (process && object)
        address_space_add(&process->space,
                          &(MappedCode){mapping->begin, mapping->end, mapping->offset, object});
}

/* Marks a process that maps a pool of Strobe as recorded. A pool is a file
 * "strobe-NUMBER-RANDOM.pool". */
void tasks_map_data(Tasks *tasks, pid_t pid, const char *path)
{
    const char *name = strrchr(path, '/'), *end = path + strlen(path) - strlen(POOL_SUFFIX);

    if (!name || strncmp(name, POOL_PREFIX, strlen(POOL_PREFIX)) != 0 || end <= name ||
        strcmp(end, POOL_SUFFIX) != 0)
        return;
    SampledProcess *process = tasks_process(tasks, pid);
    if (process)
        process->is_recorded = 1;
}

void tasks_forget(Tasks *tasks)
{
    for (size_t i = 0; i < tasks->processes.room; i++) {
        SampledProcess *process = (SampledProcess *)tasks->processes.places[i].value;
        if (process) {
            address_space_clear(&process->space);
            python_process_clear(&process->python);
        }
        free(process);
    }
    number_table_clear(&tasks->processes);
}

void tasks_clear(Tasks *tasks)
{
    tasks_forget(tasks);
    for (size_t i = 0; i < tasks->threads.room; i++) {
        SampledThread *thread = (SampledThread *)tasks->threads.places[i].value;
        if (thread)
            free(thread->wait);
        free(thread);
    }
    number_table_clear(&tasks->threads);
    code_objects_clear(&tasks->objects);
}
