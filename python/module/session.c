/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type `strobe._strobe.Session`.
 *
 * Calls that may take time release the interpreter lock; a lock of the object keeps two threads
 * from being in the library at once. In a child forked from the recording process every call does
 * nothing: the session is the parent's.
 */
#include "module.h"

#include "attach.h"

#include <string.h>

typedef struct SessionObject {
    PyObject ob_base;
    StrobeSession *session; /* NULL: closed */
    int borrowed;           /* someone else frees the session */
    unsigned forks;         /* strobe_python_forks() when it was made */
    PyThread_type_lock lock;
    unsigned long owner; /* thread in the library, 0: none */
    PyObject *schedule;
    PyObject *trace_ready;
    PyObject *raised[3]; /* exception of a callback, to be raised by the call it happened in */
} SessionObject;

/* The open session of this process, borrowed; NULL if none. */
static SessionObject *current;

static int is_foreign(const SessionObject *self)
{
    return self->forks != strobe_python_forks();
}

/* ---- entering the library ---------------------------------------------------------------- */

/* 1: go on, then leave(). 0: the call is to do nothing. -1: an exception is set. */
static int enter(SessionObject *self)
{
    if (is_foreign(self))
        return 0;
    if (self->session && self->owner == PyThread_get_thread_ident()) {
        PyErr_SetString(strobe_python_error, "the session was called from its own callback");
        return -1;
    }
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    if (!self->session) {
        PyThread_release_lock(self->lock);
        PyErr_SetString(strobe_python_error, "the session is closed");
        return -1;
    }
    self->owner = PyThread_get_thread_ident();
    return 1;
}

static void leave(SessionObject *self)
{
    self->owner = 0;
    PyThread_release_lock(self->lock);
}

/* Ends a call: the exception of a callback goes before an error of the library. */
static PyObject *finish(SessionObject *self, StrobeStatus status, StrobeError *error)
{
    leave(self);
    if (self->raised[0]) {
        PyErr_Restore(self->raised[0], self->raised[1], self->raised[2]);
        self->raised[0] = self->raised[1] = self->raised[2] = NULL;
        strobe_error_free(error);
        return NULL;
    }
    if (status < 0)
        return strobe_python_raise(status, error);
    strobe_error_free(error);
    Py_RETURN_NONE;
}

/* ---- callbacks --------------------------------------------------------------------------- */

/* Keeps the exception for the call that is under way; without one nobody can be told but by the
 * interpreter's hook. */
static void keep_exception(SessionObject *self, PyObject *callback)
{
    if (self->raised[0] || self->owner != PyThread_get_thread_ident()) {
        PyErr_WriteUnraisable(callback);
        return;
    }
    PyErr_Fetch(&self->raised[0], &self->raised[1], &self->raised[2]);
}

static StrobeAction call_schedule(void *user, int64_t step)
{
    SessionObject *self = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    long action = STROBE_ACTION_NONE;
    PyObject *number = PyLong_FromLongLong(step);
    PyObject *answer = number ? PyObject_CallFunctionObjArgs(self->schedule, number, NULL) : NULL;
    if (answer)
        action = PyLong_AsLong(answer);
    if (answer && !PyErr_Occurred() && (action < 0 || action > STROBE_ACTION_RECORD_AND_SAVE))
        PyErr_Format(PyExc_ValueError, "schedule(%lld) returned %ld, expected 0 to 3",
                     (long long)step, action);
    if (PyErr_Occurred()) {
        keep_exception(self, self->schedule);
        action = STROBE_ACTION_NONE;
    }
    Py_XDECREF(answer);
    Py_XDECREF(number);
    PyGILState_Release(gil);
    return (StrobeAction)action;
}

static void call_trace_ready(void *user, const char *directory)
{
    SessionObject *self = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *path = PyUnicode_DecodeFSDefault(directory);
    PyObject *answer = path ? PyObject_CallFunctionObjArgs(self->trace_ready, path, NULL) : NULL;
    if (!answer)
        keep_exception(self, self->trace_ready);
    Py_XDECREF(answer);
    Py_XDECREF(path);
    PyGILState_Release(gil);
}

/* ---- life -------------------------------------------------------------------------------- */

static PyObject *session_wrap(PyTypeObject *type, StrobeSession *session, int borrowed)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    SessionObject *self = (SessionObject *)allocate(type, 0);
    if (self)
        self->lock = PyThread_allocate_lock();
    if (!self || !self->lock) {
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

/* Frees the library's session. No callback runs any more: the object may be dying. */
static void session_release(SessionObject *self)
{
    StrobeSession *session = self->session;
    self->session = NULL;
    if (current == self)
        current = NULL;
    if (!session || self->borrowed || is_foreign(self))
        return;
    strobe_session_on_trace_ready(session, NULL, NULL);
    Py_BEGIN_ALLOW_THREADS strobe_session_free(session);
    Py_END_ALLOW_THREADS
}

static int session_traverse(PyObject *object, visitproc visit, void *arg)
{
    SessionObject *self = (SessionObject *)object;
    Py_VISIT((PyObject *)Py_TYPE(object));
    Py_VISIT(self->schedule);
    Py_VISIT(self->trace_ready);
    for (int i = 0; i < 3; i++)
        Py_VISIT(self->raised[i]);
    return 0;
}

/* The callables stay with an open session: the library may still call them. */
static int session_clear(PyObject *object)
{
    SessionObject *self = (SessionObject *)object;
    session_release(self);
    Py_CLEAR(self->schedule);
    Py_CLEAR(self->trace_ready);
    for (int i = 0; i < 3; i++)
        Py_CLEAR(self->raised[i]);
    return 0;
}

static void session_dealloc(PyObject *object)
{
    SessionObject *self = (SessionObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(object);
    session_clear(object);
    if (self->lock)
        PyThread_free_lock(self->lock);
    release(object);
    Py_DECREF((PyObject *)type);
}

/* ---- methods ----------------------------------------------------------------------------- */

typedef StrobeStatus (*SessionCall)(StrobeSession *session, StrobeError **error);

static PyObject *run_call(PyObject *object, SessionCall call)
{
    SessionObject *self = (SessionObject *)object;
    int entered = enter(self);
    if (entered < 0)
        return NULL;
    if (!entered)
        Py_RETURN_NONE;
    StrobeError *error = NULL;
    StrobeStatus status;
    Py_INCREF(object);
    Py_BEGIN_ALLOW_THREADS status = call(self->session, &error);
    Py_END_ALLOW_THREADS PyObject *answer = finish(self, status, error);
    Py_DECREF(object);
    return answer;
}

static PyObject *session_start(PyObject *self, PyObject *unused)
{
    return run_call(self, strobe_session_start);
}

static PyObject *session_step(PyObject *self, PyObject *unused)
{
    return run_call(self, strobe_session_step);
}

static PyObject *session_stop(PyObject *self, PyObject *unused)
{
    return run_call(self, strobe_session_stop);
}

static StrobeStatus retry_call(StrobeSession *session, StrobeError **error)
{
    strobe_session_retry(session);
    return STROBE_OK;
}

static PyObject *session_retry(PyObject *self, PyObject *unused)
{
    return run_call(self, retry_call);
}

static PyObject *session_close(PyObject *object, PyObject *unused)
{
    SessionObject *self = (SessionObject *)object;
    if (!self->session)
        Py_RETURN_NONE;
    int entered = enter(self);
    if (entered < 0)
        return NULL;
    session_release(self);
    if (entered)
        leave(self);
    Py_RETURN_NONE;
}

/* Readers are allowed inside a callback: the thread holds the session already. */
static int enter_reader(SessionObject *self, int *entered)
{
    *entered = 0;
    if (!self->session) {
        PyErr_SetString(strobe_python_error, "the session is closed");
        return -1;
    }
    if (is_foreign(self) || self->owner == PyThread_get_thread_ident())
        return 0;
    *entered = enter(self);
    return *entered < 0 ? -1 : 0;
}

static PyObject *session_add_metadata(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"key", "value", "json", NULL};
    SessionObject *self = (SessionObject *)object;
    PyObject *given[2], *keep[2] = {NULL, NULL}, *answer = NULL;
    int json = 0, entered;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|p:add_metadata", names, &given[0],
                                     &given[1], &json))
        return NULL;
    const char *key = strobe_python_text(given[0], &keep[0]);
    const char *value = key ? strobe_python_text(given[1], &keep[1]) : NULL;
    if (value && enter_reader(self, &entered) == 0) {
        StrobeError *error = NULL;
        StrobeStatus status = STROBE_OK;
        if (!is_foreign(self))
            status = strobe_session_add_metadata(self->session, key, value, json, &error);
        if (entered)
            leave(self);
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

/* Keeps `callable` (None: none) in *slot. */
static void keep_callable(PyObject **slot, PyObject *callable)
{
    PyObject *old = *slot;
    Py_XINCREF(callable);
    *slot = callable;
    Py_XDECREF(old);
}

static PyObject *set_callback(PyObject *object, PyObject *callable, int is_schedule)
{
    SessionObject *self = (SessionObject *)object;
    if (callable != Py_None && !PyCallable_Check(callable)) {
        PyErr_Format(PyExc_TypeError, "expected a callable or None, found %R",
                     (PyObject *)Py_TYPE(callable));
        return NULL;
    }
    int entered = enter(self);
    if (entered < 0)
        return NULL;
    if (!entered)
        Py_RETURN_NONE;
    PyObject *kept = callable == Py_None ? NULL : callable;
    if (is_schedule)
        strobe_session_set_schedule(self->session, kept ? call_schedule : NULL, self);
    else
        strobe_session_on_trace_ready(self->session, kept ? call_trace_ready : NULL, self);
    leave(self);
    keep_callable(is_schedule ? &self->schedule : &self->trace_ready, kept);
    Py_RETURN_NONE;
}

static PyObject *session_set_schedule(PyObject *self, PyObject *callable)
{
    return set_callback(self, callable, 1);
}

static PyObject *session_on_trace_ready(PyObject *self, PyObject *callable)
{
    return set_callback(self, callable, 0);
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

static PyObject *get_diagnostics(StrobeSession *session)
{
    const char *text = strobe_session_diagnostics(session);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *session_attribute(PyObject *object, void *read)
{
    SessionObject *self = (SessionObject *)object;
    int entered;
    if (enter_reader(self, &entered) < 0)
        return NULL;
    PyObject *answer;
    if (is_foreign(self)) {
        Py_INCREF(Py_None);
        answer = Py_None;
    } else {
        answer = (*(SessionGetter *)read)(self->session);
    }
    if (entered)
        leave(self);
    return answer;
}

static PyObject *session_closed(PyObject *object, void *unused)
{
    return PyBool_FromLong(!((SessionObject *)object)->session);
}

static PyMethodDef session_methods[] = {
    {"start", session_start, METH_NOARGS, "start()\n--\n\nEnters the first step's action."},
    {"step", session_step, METH_NOARGS, "step()\n--\n\nEnds the step that runs."},
    {"stop", session_stop, METH_NOARGS, "stop()\n--\n\nEnds the window that runs, if any."},
    {"close", session_close, METH_NOARGS,
     "close()\n--\n\nFrees the session, so that the process can make another."},
    {"retry", session_retry, METH_NOARGS,
     "retry()\n--\n\nLets collectors that wait for a library look again."},
    {"add_metadata", (PyCFunction)(void (*)(void))session_add_metadata,
     METH_VARARGS | METH_KEYWORDS,
     "add_metadata(key, value, json=False)\n--\n\nAdds a fact to the results."},
    {"set_schedule", session_set_schedule, METH_O,
     "set_schedule(callable, /)\n--\n\ncallable(step) returns an action, 0 to 3."},
    {"on_trace_ready", session_on_trace_ready, METH_O,
     "on_trace_ready(callable, /)\n--\n\ncallable(directory) is called as a window is complete."},
    {NULL, NULL, 0, NULL},
};

static SessionGetter directory_getter = get_directory;
static SessionGetter action_getter = get_action;
static SessionGetter step_number_getter = get_step_number;
static SessionGetter diagnostics_getter = get_diagnostics;

static PyGetSetDef session_attributes[] = {
    {"directory", session_attribute, NULL, "Folder of the last window, \"\" before the first.",
     &directory_getter},
    {"action", session_attribute, NULL, "The step's action, 0 to 3.", &action_getter},
    {"step_number", session_attribute, NULL, "Number of the step that runs.", &step_number_getter},
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
        .basicsize = sizeof(SessionObject),
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
    session = strobe_session_current();
    if (session)
        return session_wrap(session_type, session, 1);
    Py_RETURN_NONE;
}

PyObject *strobe_python_step(PyObject *module, PyObject *unused)
{
    if (current)
        return session_step((PyObject *)current, NULL);
    Py_BEGIN_ALLOW_THREADS strobe_step();
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}
