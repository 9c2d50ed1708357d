/* SPDX-License-Identifier: Apache-2.0 */
/* The type `strobe._strobe.Session`. */
#include "session-calls.h"

#include "attach.h"

#include <string.h>

/* The open session of this process, as a borrowed reference; NULL: none. */
static StrobePythonSession *current;

/* ---- creation and end
 * -------------------------------------------------------------------------------- */

static PyObject *session_wrap(PyTypeObject *type, StrobeSession *session, int borrowed)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    StrobePythonSession *self = (StrobePythonSession *)allocate(type, 0);
    if (self) {
        self->control.lock = PyThread_allocate_lock();
        self->dump.lock = PyThread_allocate_lock();
    }
    if (!self || !self->control.lock || !self->dump.lock) {
        if (!borrowed)
            strobe_session_free(session);
        Py_XDECREF((PyObject *)self);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    self->session = session;
    self->borrowed = borrowed;
    self->forks = strobe_python_forks();
    current = self;
    return (PyObject *)self;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"config", "origin", NULL};
    PyObject *given[2] = {Py_None, Py_None}, *keep[2] = {NULL, NULL};
    const char *text[2] = {NULL, NULL};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:Session", names, &given[0], &given[1]))
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (given[i] != Py_None && !(text[i] = strobe_python_text(given[i], &keep[i]))) {
            Py_XDECREF(keep[0]);
            return NULL;
        }
    }
    StrobeSession *session = NULL;
    StrobeError *error = NULL;
    StrobeStatus status;
    Py_BEGIN_ALLOW_THREADS status = strobe_session_new(text[0], text[1], &session, &error);
    Py_END_ALLOW_THREADS Py_XDECREF(keep[0]);
    Py_XDECREF(keep[1]);
    if (!session)
        return strobe_python_raise(status, error);
    strobe_error_free(error);
    return session_wrap(type, session, 0);
}

/* Marks the object as closed. Returns the session if the caller must free it, otherwise NULL. */
static StrobeSession *take_session(StrobePythonSession *self)
{
    StrobeSession *session = self->session;
    self->session = NULL;
    if (current == self)
        current = NULL;
    return self->borrowed || strobe_python_is_external(self) ? NULL : session;
}

/* Frees the session. Waits for a dump that the library is writing, and for the dump's callback, so
 * the caller must not hold a lock of the Session object. Afterwards no callback runs, so the object
 * may be freed. */
static void free_session(StrobeSession *session)
{
    if (!session)
        return;
    Py_BEGIN_ALLOW_THREADS strobe_session_on_trace_ready(session, NULL, NULL);
    strobe_session_on_window_end(session, NULL, NULL);
    strobe_session_free(session);
    Py_END_ALLOW_THREADS
}

static int session_traverse(PyObject *object, visitproc visit, void *arg)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    Py_VISIT((PyObject *)Py_TYPE(object));
    Py_VISIT(self->schedule);
    Py_VISIT(self->trace_ready);
    Py_VISIT(self->window_end);
    for (int i = 0; i < 3; i++) {
        Py_VISIT(self->control.raised[i]);
        Py_VISIT(self->dump.raised[i]);
    }
    return 0;
}

/* Drops the callables, but not while the session is open, because the library may still call
 * them. */
static int session_clear(PyObject *object)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    free_session(take_session(self));
    Py_CLEAR(self->schedule);
    Py_CLEAR(self->trace_ready);
    Py_CLEAR(self->window_end);
    for (int i = 0; i < 3; i++) {
        Py_CLEAR(self->control.raised[i]);
        Py_CLEAR(self->dump.raised[i]);
    }
    return 0;
}

static void session_dealloc(PyObject *object)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(object);
    session_clear(object);
    if (self->control.lock)
        PyThread_free_lock(self->control.lock);
    if (self->dump.lock)
        PyThread_free_lock(self->dump.lock);
    release(object);
    Py_DECREF((PyObject *)type);
}

/* ---- methods ----------------------------------------------------------------------------- */

typedef StrobeStatus (*SessionCall)(StrobeSession *session, StrobeError **error);

static PyObject *run_call(PyObject *object, SessionCall call)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    int entered = strobe_python_enter(self, &self->control);
    if (entered < 0)
        return NULL;
    if (!entered)
        Py_RETURN_NONE;
    StrobeError *error = NULL;
    StrobeStatus status;
    Py_INCREF(object);
    Py_BEGIN_ALLOW_THREADS status = call(self->session, &error);
    Py_END_ALLOW_THREADS int failed = strobe_python_failed(&self->control, status, error);
    strobe_python_leave(&self->control);
    Py_DECREF(object);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *session_start(PyObject *self, PyObject *unused)
{
    return run_call(self, strobe_session_start);
}

static PyObject *session_step(PyObject *self, PyObject *unused)
{
    return run_call(self, strobe_session_step);
}

/* Stops the session. This is also allowed in a callback during step(), in which this thread already
 * holds the lock. */
static PyObject *session_stop(PyObject *object, PyObject *unused)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    StrobeError *error = NULL;
    StrobeStatus status;
    if (!self->session || self->control.owner != PyThread_get_thread_ident() ||
        strobe_python_is_external(self))
        return run_call(object, strobe_session_stop);
    Py_BEGIN_ALLOW_THREADS status = strobe_session_stop(self->session, &error);
    Py_END_ALLOW_THREADS if (status < 0) return strobe_python_raise(status, error);
    strobe_error_free(error);
    Py_RETURN_NONE;
}

static StrobeStatus retry_call(StrobeSession *session, StrobeError **error)
{
    StrobeSession *none;
    strobe_session_retry(session);
    /* the module for which a collector waits is now loaded */
    strobe_run_attach(STROBE_PROCESS_PYTHON, &none, NULL);
    return STROBE_OK;
}

static PyObject *session_retry(PyObject *self, PyObject *unused)
{
    return run_call(self, retry_call);
}

static PyObject *session_toggle(PyObject *object, PyObject *args)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    const char *name;
    int is_on;
    if (!PyArg_ParseTuple(args, "sp:toggle", &name, &is_on))
        return NULL;
    int entered = strobe_python_enter(self, &self->control);
    if (entered < 0)
        return NULL;
    if (!entered)
        Py_RETURN_NONE;
    StrobeError *error = NULL;
    StrobeStatus status;
    Py_BEGIN_ALLOW_THREADS status = strobe_session_toggle(self->session, name, is_on, &error);
    Py_END_ALLOW_THREADS int failed = strobe_python_failed(&self->control, status, error);
    strobe_python_leave(&self->control);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}

/* Writes a dump and returns its directory, or None in a forked child. */
static PyObject *session_dump(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"reason", NULL};
    StrobePythonSession *self = (StrobePythonSession *)object;
    PyObject *given = Py_None, *keep = NULL, *answer = NULL;
    const char *reason = NULL, *directory;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:dump", names, &given))
        return NULL;
    if (given != Py_None && !(reason = strobe_python_text(given, &keep)))
        return NULL;
    int entered = strobe_python_enter(self, &self->dump);
    if (entered > 0) {
        StrobeError *error = NULL;
        StrobeStatus status;
        Py_INCREF(object);
        Py_BEGIN_ALLOW_THREADS status =
            strobe_session_dump(self->session, reason, &directory, &error);
        Py_END_ALLOW_THREADS if (!strobe_python_failed(&self->dump, status, error)) answer =
            PyUnicode_DecodeFSDefault(directory);
        strobe_python_leave(&self->dump);
        Py_DECREF(object);
    } else if (entered == 0) {
        Py_INCREF(Py_None);
        answer = Py_None;
    }
    Py_XDECREF(keep);
    return answer;
}

static PyObject *session_close(PyObject *object, PyObject *unused)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    StrobeSession *session = NULL;
    if (!self->session)
        Py_RETURN_NONE;
    int entered = strobe_python_enter(self, &self->dump);
    if (entered < 0)
        return NULL;
    if (entered)
        strobe_python_take(&self->control);
    session = take_session(self);
    if (entered) {
        strobe_python_leave(&self->control);
        strobe_python_leave(&self->dump);
    }
    free_session(session);
    Py_RETURN_NONE;
}

static PyObject *session_add_metadata(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"key", "value", "json", NULL};
    StrobePythonSession *self = (StrobePythonSession *)object;
    PyObject *given[2], *keep[2] = {NULL, NULL}, *answer = NULL;
    int json = 0, entered;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|p:add_metadata", names, &given[0],
                                     &given[1], &json))
        return NULL;
    const char *key = strobe_python_text(given[0], &keep[0]);
    const char *value = key ? strobe_python_text(given[1], &keep[1]) : NULL;
    if (value && strobe_python_enter_reader(self, &entered) == 0) {
        StrobeError *error = NULL;
        StrobeStatus status = STROBE_OK;
        if (!strobe_python_is_external(self)) {
            Py_BEGIN_ALLOW_THREADS status =
                strobe_session_add_metadata(self->session, key, value, json, &error);
            Py_END_ALLOW_THREADS
        }
        if (entered)
            strobe_python_leave(&self->control);
        if (status < 0) {
            strobe_python_raise(status, error);
        } else {
            strobe_error_free(error);
            Py_INCREF(Py_None);
            answer = Py_None;
        }
    }
    Py_XDECREF(keep[0]);
    Py_XDECREF(keep[1]);
    return answer;
}

/* Stores `callable` in *slot, or NULL if it is None. */
static void keep_callable(PyObject **slot, PyObject *callable)
{
    PyObject *old = *slot;
    Py_XINCREF(callable);
    *slot = callable;
    Py_XDECREF(old);
}

enum { ON_SCHEDULE, ON_TRACE_READY, ON_WINDOW_END };

/* Sets or removes the callback number `which` in the library. Releases the interpreter's lock while
 * it waits for the library's lock, because the holder of the library's lock may need the
 * interpreter's lock. */
static void set_in_library(StrobePythonSession *self, int which, int is_set)
{
    Py_BEGIN_ALLOW_THREADS switch (which)
    {
    case ON_SCHEDULE:
        strobe_session_set_schedule(self->session, is_set ? strobe_python_call_schedule : NULL,
                                    self);
        break;
    case ON_TRACE_READY:
        strobe_session_on_trace_ready(self->session, is_set ? strobe_python_call_trace_ready : NULL,
                                      self);
        break;
    default:
        strobe_session_on_window_end(self->session, is_set ? strobe_python_call_window_end : NULL,
                                     self);
    }
    Py_END_ALLOW_THREADS
}

static PyObject *set_callback(PyObject *object, PyObject *callable, int which)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    PyObject **const slots[] = {&self->schedule, &self->trace_ready, &self->window_end};
    PyObject *kept = callable == Py_None ? NULL : callable;
    if (kept && !PyCallable_Check(kept)) {
        PyErr_Format(PyExc_TypeError, "expected a callable or None, found %R",
                     (PyObject *)Py_TYPE(callable));
        return NULL;
    }
    int entered = strobe_python_enter(self, &self->control);
    if (entered < 0)
        return NULL;
    if (!entered)
        Py_RETURN_NONE;
    if (kept)
        keep_callable(slots[which], kept);
    set_in_library(self, which, kept != NULL);
    if (!kept)
        keep_callable(slots[which], NULL);
    strobe_python_leave(&self->control);
    Py_RETURN_NONE;
}

static PyObject *session_set_schedule(PyObject *self, PyObject *callable)
{
    return set_callback(self, callable, ON_SCHEDULE);
}

static PyObject *session_on_trace_ready(PyObject *self, PyObject *callable)
{
    return set_callback(self, callable, ON_TRACE_READY);
}

static PyObject *session_on_window_end(PyObject *self, PyObject *callable)
{
    return set_callback(self, callable, ON_WINDOW_END);
}

/* ---- attributes -------------------------------------------------------------------------- */

typedef PyObject *(*SessionGetter)(StrobeSession *session);

static PyObject *get_directory(StrobeSession *session)
{
    return PyUnicode_DecodeFSDefault(strobe_session_directory(session));
}

static PyObject *get_action(StrobeSession *session)
{
    return PyLong_FromLong((long)strobe_session_action(session));
}

static PyObject *get_step_number(StrobeSession *session)
{
    return PyLong_FromLongLong(strobe_session_step_number(session));
}

static PyObject *get_is_written(StrobeSession *session)
{
    return PyBool_FromLong(strobe_session_is_written(session));
}

/* Returns the diagnostics of the session. Waits until pending results are on the disk. */
static PyObject *get_diagnostics(StrobeSession *session)
{
    const char *text;
    Py_BEGIN_ALLOW_THREADS text = strobe_session_diagnostics(session);
    Py_END_ALLOW_THREADS return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *session_attribute(PyObject *object, void *read)
{
    StrobePythonSession *self = (StrobePythonSession *)object;
    int entered;
    if (strobe_python_enter_reader(self, &entered) < 0)
        return NULL;
    PyObject *answer;
    if (strobe_python_is_external(self)) {
        Py_INCREF(Py_None);
        answer = Py_None;
    } else {
        answer = (*(SessionGetter *)read)(self->session);
    }
    if (entered)
        strobe_python_leave(&self->control);
    return answer;
}

static PyObject *session_closed(PyObject *object, void *unused)
{
    return PyBool_FromLong(!((StrobePythonSession *)object)->session);
}

static PyMethodDef session_methods[] = {
    {"start", session_start, METH_NOARGS, "start()\n--\n\nEnters the first step's action."},
    {"step", session_step, METH_NOARGS, "step()\n--\n\nEnds the current step."},
    {"stop", session_stop, METH_NOARGS, "stop()\n--\n\nEnds the current window, if any."},
    {"close", session_close, METH_NOARGS,
     "close()\n--\n\nFrees the session, so that the process can make another."},
    {"dump", (PyCFunction)(void (*)(void))session_dump, METH_VARARGS | METH_KEYWORDS,
     "dump(reason=None)\n--\n\nWrites a flight recorder's records; returns the result directory."},
    {"retry", session_retry, METH_NOARGS,
     "retry()\n--\n\nLets collectors that wait for a library look again."},
    {"toggle", session_toggle, METH_VARARGS,
     "toggle(collector, is_on)\n--\n\nPauses or resumes a collector in the window."},
    {"add_metadata", (PyCFunction)(void (*)(void))session_add_metadata,
     METH_VARARGS | METH_KEYWORDS,
     "add_metadata(key, value, json=False)\n--\n\nAdds metadata to the results."},
    {"set_schedule", session_set_schedule, METH_O,
     "set_schedule(callable, /)\n--\n\ncallable(step) returns an action, 0 to 3."},
    {"on_trace_ready", session_on_trace_ready, METH_O,
     "on_trace_ready(callable, /)\n--\n\ncallable(directory) is called when a window is complete "
     "and "
     "after a dump."},
    {"on_window_end", session_on_window_end, METH_O,
     "on_window_end(callable, /)\n--\n\ncallable(directory) is called when a window has ended, "
     "without waiting for the disk."},
    {NULL, NULL, 0, NULL},
};

static SessionGetter directory_getter = get_directory;
static SessionGetter action_getter = get_action;
static SessionGetter step_number_getter = get_step_number;
static SessionGetter is_written_getter = get_is_written;
static SessionGetter diagnostics_getter = get_diagnostics;

static PyGetSetDef session_attributes[] = {
    {"directory", session_attribute, NULL, "Folder of the last window, \"\" before the first.",
     &directory_getter},
    {"action", session_attribute, NULL, "The step's action, 0 to 3.", &action_getter},
    {"step_number", session_attribute, NULL, "Number of the step that runs.", &step_number_getter},
    {"is_written", session_attribute, NULL, "Whether the results of ended windows are written.",
     &is_written_getter},
    {"diagnostics", session_attribute, NULL, "One line per thing missing or degraded.",
     &diagnostics_getter},
    {"closed", session_closed, NULL, "Whether close() was called.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject *session_type;

PyObject *strobe_python_session_type(void)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Session(config=None, origin=None)\n--\n\nA session of this process."},
        {Py_tp_new, session_new},
        {Py_tp_dealloc, session_dealloc},
        {Py_tp_traverse, session_traverse},
        {Py_tp_clear, session_clear},
        {Py_tp_methods, session_methods},
        {Py_tp_getset, session_attributes},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "strobe._strobe.Session",
        .basicsize = sizeof(StrobePythonSession),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    if (!session_type)
        session_type = (PyTypeObject *)PyType_FromSpec(&spec);
    Py_XINCREF((PyObject *)session_type);
    return (PyObject *)session_type;
}

/* ---- functions of the module ------------------------------------------------------------- */

PyObject *strobe_python_attach(PyObject *module, PyObject *unused)
{
    StrobeSession *session = NULL;
    StrobeError *error = NULL;
    StrobeStatus status;
    Py_BEGIN_ALLOW_THREADS status = strobe_run_attach(STROBE_PROCESS_PYTHON, &session, &error);
    Py_END_ALLOW_THREADS if (session)
    {
        strobe_error_free(error);
        return session_wrap(session_type, session, 0);
    }
    if (status < 0)
        return strobe_python_raise(status, error);
    strobe_error_free(error);
    session = strobe_run_session();
    if (session)
        return session_wrap(session_type, session, 1);
    Py_RETURN_NONE;
}

PyObject *strobe_python_can_collect(PyObject *module, PyObject *name)
{
    PyObject *keep = NULL;
    const char *text = strobe_python_text(name, &keep);
    int answer = -1;

    if (!text)
        return NULL;
    Py_BEGIN_ALLOW_THREADS answer = strobe_run_can_collect(text);
    Py_END_ALLOW_THREADS Py_XDECREF(keep);
    return PyLong_FromLong(answer);
}

PyObject *strobe_python_step(PyObject *module, PyObject *unused)
{
    if (current)
        return session_step((PyObject *)current, NULL);
    Py_BEGIN_ALLOW_THREADS strobe_step();
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

PyObject *strobe_python_dump(PyObject *module, PyObject *unused)
{
    return PyBool_FromLong(strobe_dump() == STROBE_OK);
}

PyObject *strobe_python_finish(PyObject *module, PyObject *unused)
{
    if (current)
        return session_close((PyObject *)current, NULL);
    Py_RETURN_NONE;
}
