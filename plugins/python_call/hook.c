/* SPDX-License-Identifier: Apache-2.0 */
#include "hook.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "new-threads.h"
#include "tracer.h"

#define CAPSULE "strobe.python_call"

/* The data of a thread's profile function: the frames that were open when the function was set. */
typedef struct Seed {
    const void *source; /* the profile object, which owns this Seed */
    TracerFrames open;
    uint64_t begin;
    int is_used; /* the thread has entered the window with these frames */
} Seed;

static struct {
    PyObject *function;    /* the module threading calls this function in a new thread */
    PyObject *set_profile; /* sys.setprofile */
    /* strong reference to the profile function that was replaced last, which may still run */
    PyObject *kept;
    uint32_t n_taken; /* number of threads whose function the program has replaced or removed */
    void (*on_profiler)(void);
    int is_in_threading;
    int is_installed;
} hook;

/* Threads in which another profiler is active, either since before the window, or because it was
 * set with the C API. */
static struct {
    uint32_t n, n_most;  /* present number; maximum at the same time */
    uint64_t begin, sum; /* begin of the present gap; length of the earlier gaps, in ns */
    int has_unknown;     /* one of the profilers is not PyTorch's */
} gap;

static PyObject *on_attach(PyObject *self, PyObject *arguments);

static PyMethod method = {"strobe_python_call", on_attach, PYTHON_VARARGS,
                          "Records Python calls for Strobe."};

/* ---- frames that were open at the begin ---- */

static void drop_frames(Seed *seed)
{
    while (seed->open.n)
        python_unref(seed->open.frames[--seed->open.n]);
    free(seed->open.frames);
    seed->open = (TracerFrames){NULL, 0, 0};
}

/* Destructor of the capsule: the thread has ended, or has another profile function or none. */
static void free_seed(PyObject *capsule)
{
    Seed *seed = python_api.capsule_pointer(capsule, CAPSULE);

    if (!seed)
        return;
    if (atomic_load(&tracer.is_on) && seed->source && tracer_leave_source(seed->source))
        /* the program has replaced the function, because a thread that has ended has no frames */
        hook.n_taken++;
    drop_frames(seed);
    free(seed);
}

/* Makes an object for a thread's profile function. Returns a strong reference; NULL: it failed. The
 * object can be called, because programs pass the result of sys.getprofile() to
 * sys.setprofile(). */
static PyObject *make_source(PyThread *thread)
{
    const PythonApi *python = &python_api;
    Seed *seed = calloc(1, sizeof *seed);
    PyObject *capsule = seed ? python->new_capsule(seed, CAPSULE, free_seed) : NULL;
    PyObject *source = capsule ? python->new_function(&method, capsule, NULL) : NULL;

    if (!capsule)
        free(seed);
    else
        python_unref(capsule);
    if (!source) {
        python->clear_error();
        return NULL;
    }
    seed->source = source;
    seed->begin = tracer.host->now();
    tracer_take_frames(&seed->open, thread);
    return source;
}

/* ---- events ---- */

/* Processes the first event after the function was set in a thread. Returns 0 if nothing more is to
 * be done for the event. */
static int enter_thread(PyObject *source, int event)
{
    const PythonApi *python = &python_api;
    PyObject *capsule = python->builtin_self(source);
    Seed *seed = capsule ? python->capsule_pointer(capsule, CAPSULE) : NULL;
    Thread *thread = seed ? tracer_enter(source) : NULL;
    int is_anew = seed && seed->is_used;

    python->clear_error();
    if (!thread)
        return 0;
    if (is_anew) /* also opens the frame of this event */
        tracer_open_all(thread);
    while (seed->open.n)
        tracer_open(thread, seed->open.frames[--seed->open.n], seed->begin);
    drop_frames(seed);
    seed->is_used = 1;
    return !is_anew || event != PYTHON_CALL;
}

/* Stops recording a thread, because the program sets its own profile function in the thread, or
 * removes the collector's; the event does not say which. The calls in this function cause no
 * further events. */
static void give_way(Thread *thread)
{
    hook.n_taken++;
    tracer_leave(thread);
}

static int on_event(PyObject *source, PyObject *frame, int event, PyObject *argument)
{
    Thread *thread = tracer_thread;

    if (__builtin_expect(!thread || thread->source != source, 0)) {
        if (!atomic_load_explicit(&tracer.is_on, memory_order_relaxed)) {
            /* this is a forked child, which has inherited the function */
            python_api.set_profile(NULL, NULL);
            return 0;
        }
        if (!enter_thread(source, event))
            return 0;
        thread = tracer_thread;
    }
    switch (event) {
    case PYTHON_CALL:
        if (__builtin_expect(tracer_call(thread, frame) == CALL_OF_PROFILER, 0))
            hook.on_profiler();
        break;
    case PYTHON_RETURN:
        tracer_return(thread, frame);
        break;
    case PYTHON_C_CALL:
        if (__builtin_expect(argument == hook.set_profile, 0))
            give_way(thread);
        else
            tracer_builtin_call(thread, argument);
        break;
    case PYTHON_C_RETURN:
    case PYTHON_C_EXCEPTION:
        tracer_builtin_return(thread);
        if (__builtin_expect(new_threads_is_starter(argument), 0))
            new_threads_started(frame);
        break;
    default:
        break;
    }
    return 0;
}

/* ---- threads ---- */

/* Sets the collector's function in the thread whose state is the current one. */
static void set_in_thread(PyThread *thread)
{
    PyObject *source = make_source(thread);

    if (!source)
        return;
    python_api.set_profile(on_event, source);
    python_unref(source);
}

/* Returns the profile function of the current thread; NULL: there is none. Returns no reference:
 * the caller may only compare the pointer. */
static PyObject *present_source(void)
{
    PyObject *get = python_api.system_object("getprofile");
    PyObject *source = get ? python_api.call(get, NULL) : NULL;

    if (!source) {
        python_api.clear_error();
        return NULL;
    }
    python_unref(source);
    return source == python_api.none ? NULL : source;
}

/* Sets a new profile object in the current thread. Releases the previous object later, because that
 * object is being called now. */
static void replace_own(PyThread *thread)
{
    PyObject *before = hook.kept;

    hook.kept = present_source();
    if (hook.kept)
        python_ref(hook.kept);
    set_in_thread(thread);
    if (before)
        python_unref(before);
}

/* Is called by the interpreter as a Python profile function: in a new thread, in which the module
 * threading has set it, or after the program has set the collector's object again with
 * sys.setprofile(). */
static PyObject *on_attach(PyObject *self, PyObject *arguments)
{
    const PythonApi *python = &python_api;
    PyObject *frame = python->tuple_item(arguments, 0);
    PyObject *event = frame ? python->tuple_item(arguments, 1) : NULL;
    const char *name = event ? python->to_text(event, NULL) : NULL;

    if (!name) {
        python->clear_error(); /* the program itself has called the object */
    } else if (!atomic_load(&tracer.is_on)) {
        python->set_profile(NULL, NULL);
    } else {
        replace_own(python->thread());
        if (strcmp(name, "return") == 0)
            on_event(present_source(), frame, PYTHON_RETURN, NULL);
    }
    python->ref(python->none);
    return python->none;
}

static int is_ours(PyObject *source)
{
    PyFunction function;

    if (source->type != hook.function->type)
        return 0;
    function = python_api.builtin_function(source);
    python_api.clear_error();
    return function == on_attach;
}

/* ---- gaps: times in which another profiler is active ---- */

static int is_of_torch(PyObject *source)
{
    PyObject *name = source ? python_api.get_attribute((PyObject *)source->type, "__name__") : NULL;
    const char *text = name ? python_api.to_text(name, NULL) : NULL;
    int is_torch = text && strcmp(text, "TraceContext") == 0;

    if (name)
        python_unref(name);
    python_api.clear_error();
    return is_torch;
}

static void open_gap(PyObject *source)
{
    if (gap.n++ == 0)
        gap.begin = tracer.host->now();
    if (gap.n > gap.n_most)
        gap.n_most = gap.n;
    gap.has_unknown |= !is_of_torch(source);
}

static void close_gap(void)
{
    if (gap.n && --gap.n == 0)
        gap.sum += tracer.host->now() - gap.begin;
}

static void report_gap(void)
{
    gap.n = gap.n ? 1 : 0;
    close_gap();
    if (gap.n_most)
        tracer.host->log(tracer.self, STROBE_LOG_WARNING,
                         "Neither calls nor stacks are recorded in %u thread%s for %.3f s: %s",
                         gap.n_most, gap.n_most == 1 ? "" : "s", (double)gap.sum / 1e9,
                         gap.has_unknown ? "another profiler is active there"
                                         : "PyTorch's profiler records Python there (with_stack)");
    memset(&gap, 0, sizeof gap);
}

static void install_in(PyThread *thread, void *unused)
{
    PyObject *source = present_source();

    if (source && !is_ours(source))
        open_gap(source);
    else
        set_in_thread(thread);
}

static void install_in_new(PyThread *thread)
{
    if (!present_source())
        set_in_thread(thread);
}

static void remove_from(PyThread *thread, void *unused)
{
    PyObject *source = present_source();

    if (source && is_ours(source))
        python_api.set_profile(NULL, NULL);
}

/* ---- profile functions that libraries set ---- */

/* A change of a thread's profile function. */
typedef struct Change {
    int sets;
    PyObject *object;
    HookChange result;
} Change;

static void prepare_change(PyThread *thread, void *user)
{
    Change *change = user;
    PyObject *source = present_source();
    int ours = source && is_ours(source);

    if (change->sets && ours) {
        tracer_leave_source(source);
        open_gap(change->object);
    } else if (!change->sets && source) {
        change->result = ours ? HOOK_STAYS : HOOK_RETURNS;
    }
}

HookChange hook_before_other(PyThread *thread, PyProfile function, PyObject *object)
{
    Change change = {function != NULL, object, HOOK_UNCHANGED};

    if (hook.is_installed && atomic_load(&tracer.is_on))
        python_api_run_as(thread, prepare_change, &change);
    return change.result;
}

static void set_as_in_thread(PyThread *thread, void *unused)
{
    set_in_thread(thread);
}

void hook_return_to(PyThread *thread)
{
    python_api_run_as(thread, set_as_in_thread, NULL);
    close_gap();
}

/* ---- threads that the module threading starts ---- */

static PyObject *call_threading(const char *name, PyObject *argument)
{
    const PythonApi *python = &python_api;
    PyObject *module = python->import_module("threading");
    PyObject *function = module ? python->get_attribute(module, name) : NULL;
    PyObject *result = function ? python->call(function, argument, NULL) : NULL;

    if (function)
        python->unref(function);
    if (module)
        python->unref(module);
    python->clear_error();
    return result;
}

/* Returns the function that the module threading sets in new threads, for versions before 3.10,
 * which have no threading.getprofile(). */
static PyObject *old_threading_source(void)
{
    const PythonApi *python = &python_api;
    PyObject *module = python->import_module("threading");
    PyObject *source = module ? python->get_attribute(module, "_profile_hook") : NULL;

    if (module)
        python->unref(module);
    python->clear_error();
    return source;
}

/* Returns the function that the module threading sets in new threads; NULL: there is none. The
 * caller may only compare the pointer. */
static PyObject *threading_source(void)
{
    PyObject *source =
        python_api.minor < 10 ? old_threading_source() : call_threading("getprofile", NULL);

    if (source)
        python_unref(source);
    return source == python_api.none ? NULL : source;
}

static void set_threading(PyObject *function)
{
    PyObject *result = call_threading("setprofile", function);

    if (result)
        python_unref(result);
}

static void install_in_threading(void)
{
    PyObject *source = threading_source();

    hook.is_in_threading = !source || source == hook.function;
    if (hook.is_in_threading)
        set_threading(hook.function);
    else
        tracer.host->log(tracer.self, STROBE_LOG_WARNING,
                         "Calls in threads that the program starts from now on are not recorded: "
                         "it has set a profiler for them");
}

static void remove_from_threading(void)
{
    if (hook.is_in_threading && threading_source() == hook.function)
        set_threading(python_api.none);
    hook.is_in_threading = 0;
}

/* ---- install, remove ---- */

const char *hook_install(void (*on_profiler)(void))
{
    if (!hook.function)
        hook.function = python_api.new_function(&method, NULL, NULL);
    if (!hook.function) {
        python_api.clear_error();
        return "there is no memory";
    }
    hook.set_profile = python_api.system_object("setprofile");
    hook.n_taken = 0;
    hook.on_profiler = on_profiler;
    install_in_threading();
    python_api_run_as_each(install_in, NULL);
    new_threads_begin(install_in_new);
    hook.is_installed = 1;
    return NULL;
}

void hook_remove(void)
{
    hook.is_installed = 0;
    remove_from_threading();
    new_threads_end();
    python_api_run_as_each(remove_from, NULL);
    if (hook.kept)
        python_unref(hook.kept);
    hook.kept = NULL;
    report_gap();
    if (hook.n_taken == 1)
        tracer.host->log(tracer.self, STROBE_LOG_WARNING,
                         "The program set or removed a thread's profile function: calls in that "
                         "thread are not recorded from then on");
    else if (hook.n_taken)
        tracer.host->log(tracer.self, STROBE_LOG_WARNING,
                         "The program set or removed a thread's profile function %u times: calls "
                         "in those threads are not recorded from then on",
                         hook.n_taken);
}
