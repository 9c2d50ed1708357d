/* SPDX-License-Identifier: Apache-2.0 */
#include "monitoring.h"

#include <stdio.h>
#include <string.h>

#include "intercepts.h"
#include "names.h"
#include "tracer.h"

#define FROM_MINOR 12 /* Python 3.12 */

#define TOOL_NAME "strobe"

/* The ids that the collector may have. By convention debuggers have 0, coverage tools 1, and
 * profilers such as cProfile 2; these tools fail if another tool has their id. */
static const long tool_ids[] = {3, 4, 5};
static long tool_id; /* id of the collector; 0: it has none */

static PyObject *on_start(PyObject *self, PyObject *const *arguments, PySize n);
static PyObject *on_end(PyObject *self, PyObject *const *arguments, PySize n);
static PyObject *on_builtin(PyObject *self, PyObject *const *arguments, PySize n);
static PyObject *on_builtin_end(PyObject *self, PyObject *const *arguments, PySize n);

#define METHOD(function)                                                                           \
    {"strobe_python_call", (PyFunction)(void *)function, PYTHON_FASTCALL,                          \
     "Records Python calls for Strobe."}
static PyMethod start_method = METHOD(on_start), end_method = METHOD(on_end),
                builtin_method = METHOD(on_builtin), builtin_end_method = METHOD(on_builtin_end);

static const struct {
    const char *name; /* name of the event in sys.monitoring.events */
    PyMethod *method;
    int of_builtins;
} events[] = {
    {"PY_START", &start_method, 0},      {"PY_RESUME", &start_method, 0},
    {"PY_THROW", &start_method, 0},      {"PY_RETURN", &end_method, 0},
    {"PY_YIELD", &end_method, 0},        {"PY_UNWIND", &end_method, 0},
    {"CALL", &builtin_method, 1},        {"C_RETURN", &builtin_end_method, 1},
    {"C_RAISE", &builtin_end_method, 1},
};

/* ---- events ---- */

/* Returns the calling thread's state; NULL: no window records, or there is no memory. If this is
 * the thread's first event in this window, the thread enters the window. Sets `is_reported` in this
 * case, because the event's frame is one of the open frames that were just added. */
static Thread *thread_now(int *is_reported)
{
    Thread *thread = tracer_thread;

    *is_reported = 0;
    if (!atomic_load_explicit(&tracer.is_on, memory_order_relaxed))
        return NULL;
    if (thread && thread->source == &tracer &&
        thread->window == atomic_load_explicit(&tracer.windows, memory_order_relaxed))
        return thread;
    thread = tracer_enter(&tracer);
    if (thread)
        tracer_open_all(thread);
    *is_reported = 1;
    return thread;
}

static PyObject *make_none(void)
{
    python_api.ref(python_api.none);
    return python_api.none;
}

static PyObject *on_start(PyObject *self, PyObject *const *arguments, PySize n)
{
    int is_reported;
    Thread *thread = thread_now(&is_reported);
    PyObject *frame = thread && !is_reported ? python_api.current_frame() : NULL;

    if (frame && __builtin_expect(tracer_call(thread, frame) == CALL_OF_PROFILER, 0))
        intercepts_cover_libraries();
    return make_none();
}

static PyObject *on_end(PyObject *self, PyObject *const *arguments, PySize n)
{
    int is_reported;
    Thread *thread = thread_now(&is_reported);
    PyObject *frame = thread ? python_api.current_frame() : NULL;

    if (frame)
        tracer_return(thread, frame);
    return make_none();
}

/* Returns whether the call is that of a C function. `arguments` are those of the event CALL: code,
 * offset, callable, first argument. Calls of other callables are not recorded. */
static int is_builtin(PyObject *const *arguments, PySize n)
{
    const PyObject *type = n >= 3 ? arguments[2]->type : NULL;

    return type && (type == python_api.builtin_type || type == python_api.method_type ||
                    type == python_api.descriptor_type);
}

static PyObject *on_builtin(PyObject *self, PyObject *const *arguments, PySize n)
{
    int is_reported;
    Thread *thread = is_builtin(arguments, n) ? thread_now(&is_reported) : NULL;

    if (thread)
        tracer_builtin_call(thread, arguments[2]);
    return make_none();
}

static PyObject *on_builtin_end(PyObject *self, PyObject *const *arguments, PySize n)
{
    int is_reported;
    Thread *thread = is_builtin(arguments, n) ? thread_now(&is_reported) : NULL;

    if (thread)
        tracer_builtin_return(thread);
    return make_none();
}

/* ---- sys.monitoring ---- */

/* Calls sys.monitoring.name(id, a, b). Returns a strong reference; NULL: the call raised an
 * exception. */
static PyObject *call_for_result(const char *name, long id, PyObject *a, PyObject *b)
{
    const PythonApi *python = &python_api;
    PyObject *monitoring = python->system_object("monitoring");
    PyObject *function = monitoring ? python->get_attribute(monitoring, name) : NULL;
    PyObject *number = python->new_integer(id);
    PyObject *result =
        function && number ? python->call(function, number, a, a ? b : NULL, NULL) : NULL;

    if (function)
        python->unref(function);
    if (number)
        python->unref(number);
    python->clear_error();
    return result;
}

/* Calls sys.monitoring.name(tool_id, a, b). Returns 0 if the call raised an exception. */
static int call_monitoring(const char *name, PyObject *a, PyObject *b)
{
    PyObject *result = call_for_result(name, tool_id, a, b);

    if (result)
        python_api.unref(result);
    return result != NULL;
}

static long event_number(const char *name)
{
    const PythonApi *python = &python_api;
    PyObject *monitoring = python->system_object("monitoring");
    PyObject *all = monitoring ? python->get_attribute(monitoring, "events") : NULL;
    PyObject *event = all ? python->get_attribute(all, name) : NULL;
    long number = event ? (long)python->to_integer(event) : 0;

    if (event)
        python->unref(event);
    if (all)
        python->unref(all);
    python->clear_error();
    return number > 0 ? number : 0;
}

/* Sets the callback for the event `name`; removes it if `method` is NULL. Returns the event's
 * number; 0: it failed. */
static long set_callback(const char *name, PyMethod *method)
{
    const PythonApi *python = &python_api;
    long number = event_number(name);
    PyObject *event = number ? python->new_integer(number) : NULL;
    PyObject *function = method ? python->new_function(method, NULL, NULL) : NULL;
    int is_set = event && (function || !method) &&
                 call_monitoring("register_callback", event, method ? function : python->none);

    if (function)
        python->unref(function);
    if (event)
        python->unref(event);
    python->clear_error();
    return is_set ? number : 0;
}

static int set_events(long mask)
{
    PyObject *events_set = python_api.new_integer(mask);
    int is_set = events_set && call_monitoring("set_events", events_set, NULL);

    if (events_set)
        python_api.unref(events_set);
    return is_set;
}

int monitoring_is_there(void)
{
    return python_api.minor >= FROM_MINOR && python_api.system_object("monitoring") != NULL;
}

/* Registers the collector with the first free tool id. Returns 0 if no id is free. */
static int take_tool_id(void)
{
    PyObject *name = python_api.from_text(TOOL_NAME);
    int is_taken = 0;

    for (size_t i = 0; name && !is_taken && i < sizeof tool_ids / sizeof *tool_ids; i++) {
        tool_id = tool_ids[i];
        is_taken = call_monitoring("use_tool_id", name, NULL);
    }
    if (name)
        python_api.unref(name);
    if (!is_taken)
        tool_id = 0;
    return is_taken;
}

/* Writes the name of the tool that has the id; "?": the tool has no name. */
static void read_tool(long id, char *name, size_t size)
{
    PyObject *tool = call_for_result("get_tool", id, NULL, NULL);
    const char *text = tool ? python_api.to_text(tool, NULL) : NULL;

    snprintf(name, size, "%s", text ? text : "?");
    if (tool)
        python_api.unref(tool);
    python_api.clear_error();
}

static const char *explain_taken_ids(void)
{
    static char text[512]; /* protected by the interpreter's lock */
    char names[3][100];

    _Static_assert(sizeof tool_ids / sizeof *tool_ids == 3, "one name each");
    for (size_t i = 0; i < 3; i++)
        read_tool(tool_ids[i], names[i], sizeof names[i]);
    snprintf(text, sizeof text,
             "the tool ids of sys.monitoring that Strobe may take are in use: %ld by \"%s\", %ld "
             "by \"%s\", %ld by \"%s\"; neither calls nor stacks are recorded",
             tool_ids[0], names[0], tool_ids[1], names[1], tool_ids[2], names[2]);
    return text;
}

const char *monitoring_install(void)
{
    long mask = 0;

    if (tool_id) /* the parent of this forked process has registered the id */
        monitoring_remove();
    if (!take_tool_id())
        return explain_taken_ids();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        long event;
        if (events[i].of_builtins && !(tracer.records && tracer.builtins))
            continue;
        event = set_callback(events[i].name, events[i].method);
        if (!event) {
            monitoring_remove();
            return "sys.monitoring refused a callback";
        }
        mask |= event;
    }
    if (set_events(mask))
        return NULL;
    monitoring_remove();
    return "sys.monitoring refused the events";
}

static int has_tool_id(void)
{
    char name[sizeof TOOL_NAME + 1];

    read_tool(tool_id, name, sizeof name);
    return strcmp(name, TOOL_NAME) == 0;
}

/* Removes the callbacks and frees the tool id, unless the program has given the id to another
 * tool. */
void monitoring_remove(void)
{
    if (has_tool_id()) {
        set_events(0);
        for (size_t i = 0; i < sizeof events / sizeof *events; i++)
            set_callback(events[i].name, NULL);
        call_monitoring("free_tool_id", NULL, NULL);
    } else {
        tracer.host->log(tracer.self, STROBE_LOG_WARNING,
                         "The program has freed Strobe's tool id %ld of sys.monitoring: calls may "
                         "be missing from then on",
                         tool_id);
    }
    tool_id = 0;
}
