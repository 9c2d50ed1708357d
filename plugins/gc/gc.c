/* SPDX-License-Identifier: Apache-2.0 */
#include "gc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <strobe/kinds.h>

#include <strobe/helpers/interpreter.h>
#include <strobe/helpers/python.h>

/* The state of the collector. There is one for each process, because Python has one gc.callbacks.
 * The interpreter's lock protects all members that the callback reads, except `is_recording`, which
 * a fork clears. */
static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    Python python;
    StrobeKindId kind;
    int64_t threshold_ns;
    _Atomic int is_recording;

    PyObject *list;     /* gc.callbacks while the callback is installed; else NULL */
    PyObject *callback; /* Strobe's entry in the list */

    int is_collecting; /* the callback was called with "start"; collections do not nest */
    uint64_t begin;
    struct timespec begin_raw;
} collector;

static int64_t elapsed_ns(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)(now.tv_sec - since->tv_sec) * 1000000000 + (now.tv_nsec - since->tv_nsec);
}

/* Returns a count from the callback's info; 0: it is missing or not a number. */
static uint64_t read_count(PyObject *info, const char *key)
{
    const Python *python = &collector.python;
    PyObject *object = python->dict_item(info, key);
    long long value = object ? python->to_integer(object) : 0;
    if (value < 0)
        python->clear_error();
    return value > 0 ? (uint64_t)value : 0;
}

static void record_collection(PyObject *info)
{
    const StrobeHost *host = collector.host;
    uint64_t end = host->now();
    if (elapsed_ns(&collector.begin_raw) < collector.threshold_ns)
        return;
    /* the interpreter may be called only before the record is reserved */
    uint32_t generation = (uint32_t)read_count(info, "generation");
    uint64_t collected = read_count(info, "collected");
    uint64_t uncollectable = read_count(info, "uncollectable");
    StrobeWriter *writer = host->writer(collector.self);
    if (!writer)
        return;
    StrobeStringId name = host->intern(writer, "GC", 2);
    struct strobe_gc *record = host->reserve(writer, collector.kind, 0, name, collector.begin, end);
    if (!record)
        return;
    record->generation = generation;
    record->reserved = 0;
    record->collected = collected;
    record->uncollectable = uncollectable;
    host->commit(writer);
}

/* The callback in gc.callbacks, which the interpreter calls with (phase, info). It never raises an
 * exception. */
static PyObject *on_phase(PyObject *self, PyObject *arguments)
{
    const Python *python = &collector.python;
    if (atomic_load_explicit(&collector.is_recording, memory_order_acquire)) {
        PyObject *object = python->tuple_item(arguments, 0);
        PyObject *info = object ? python->tuple_item(arguments, 1) : NULL;
        const char *phase = info ? python->to_text(object, NULL) : NULL;
        if (!phase) {
            /* the program called this function itself, with other arguments */
            python->clear_error();
        } else if (strcmp(phase, "start") == 0) {
            collector.is_collecting = 1;
            clock_gettime(CLOCK_MONOTONIC_RAW, &collector.begin_raw);
            collector.begin = collector.host->now();
        } else if (collector.is_collecting && strcmp(phase, "stop") == 0) {
            collector.is_collecting = 0;
            record_collection(info);
        }
    }
    python->ref(python->none);
    return python->none;
}

static PyMethod on_phase_method = {"strobe_gc", on_phase, PYTHON_VARARGS,
                                   "Records garbage collections for Strobe."};

static void stop_in_child(void)
{
    atomic_store(&collector.is_recording, 0);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

/* Returns the index of the callback in the list; -1: the program has removed it. */
static PySize find_callback(void)
{
    const Python *python = &collector.python;
    PySize n = python->list_size(collector.list);
    for (PySize i = 0; i < n; i++)
        if (python->list_item(collector.list, i) == collector.callback)
            return i;
    if (n < 0)
        python->clear_error();
    return -1;
}

/* Releases the Python objects. The caller must hold the interpreter's lock. */
static void release_objects(void)
{
    const Python *python = &collector.python;
    if (collector.callback)
        python->unref(collector.callback);
    if (collector.list)
        python->unref(collector.list);
    collector.callback = collector.list = NULL;
}

/* Appends the callback to gc.callbacks. The caller must hold the interpreter's lock. Returns NULL,
 * or the reason of a failure. */
static const char *install_callback(void)
{
    const Python *python = &collector.python;
    PyObject *module = python->import_module("gc");
    collector.list = module ? python->get_attribute(module, "callbacks") : NULL;
    collector.callback = python->new_function(&on_phase_method, NULL, NULL);
    if (module)
        python->unref(module);
    const char *problem = NULL;
    if (!collector.list || !collector.callback)
        problem = "there is no gc.callbacks";
    else if (python->list_append(collector.list, collector.callback) != 0)
        problem = "gc.callbacks is not a list";
    if (problem) {
        python->clear_error();
        release_objects();
    }
    return problem;
}

/* Removes all entries of the callback. The caller must hold the interpreter's lock. */
static void remove_callback(void)
{
    for (PySize index = find_callback(); index >= 0; index = find_callback())
        if (collector.python.delete_item(collector.list, index) != 0) {
            collector.python.clear_error();
            break;
        }
    release_objects();
}

static StrobeStatus gc_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strobe_interpreter_state() != STROBE_INTERPRETER_RUNS)
        return STROBE_AGAIN;
    if (strobe_interpreter_is_free_threaded())
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot watch collections: this Python is free-threaded (it has no "
                          "global interpreter lock)");
    const char *missing = strobe_python_find(&collector.python);
    if (missing)
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot watch collections: this Python has no \"%s\"", missing);
    StrobeStatus status = host->kind(self, &strobe_kind_gc, &collector.kind);
    if (status != STROBE_OK)
        return status;
    pthread_once(&once, prepare_process);
    collector.host = host;
    collector.self = self;
    collector.threshold_ns = host->option_int(self, "threshold");
    *state = &collector;
    return STROBE_OK;
}

static StrobeStatus gc_start(void *state)
{
    const Python *python = &collector.python;
    if (!python->is_initialized())
        return collector.host->fail(collector.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                                    "Cannot watch collections: Python has ended");
    int lock = python->lock();
    collector.is_collecting = 0;
    const char *problem = install_callback();
    atomic_store(&collector.is_recording, !problem);
    python->unlock(lock);
    if (problem)
        return collector.host->fail(collector.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                                    "Cannot watch collections: %s", problem);
    return STROBE_OK;
}

static StrobeStatus gc_stop(void *state)
{
    const Python *python = &collector.python;
    atomic_store(&collector.is_recording, 0);
    if (!python->is_initialized()) {
        /* the interpreter has ended or is ending, so its objects must not be used */
        collector.callback = collector.list = NULL;
        return STROBE_OK;
    }
    int lock = python->lock();
    if (collector.list)
        remove_callback();
    python->unlock(lock);
    return STROBE_OK;
}

static void gc_close(void *state)
{
    collector.host = NULL;
}

const StrobeCollectorOps strobe_gc_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = strobe_interpreter_probe,
    .open = gc_open,
    .start = gc_start,
    .stop = gc_stop,
    .close = gc_close,
};
