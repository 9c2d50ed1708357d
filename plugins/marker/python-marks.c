/* SPDX-License-Identifier: Apache-2.0 */
#include "python-marks.h"

#include "../common/interpreter.h"
#include "../common/python.h"
#include "collectives.h"
#include "python-tool.h"

static Python python;
static int is_begun;
static const StrobeHost *host;
static StrobeInstance *self;

static const char *mark_collectives(void)
{
    return collectives_begin(host, self);
}

/* The package's part for this, a new reference; NULL where Python knows no such package. */
static PyObject *find_function(const char *name)
{
    PyObject *modules = python.modules(); /* borrowed */
    PyObject *package = modules ? python.dict_item(modules, "strobe._strobe") : NULL;
    PyObject *module = package ? python.import_module("strobe.marks") : NULL;
    PyObject *function = module ? python.get_attribute(module, name) : NULL;

    if (module)
        python.unref(module);
    if (!function)
        python.clear_error();
    return function;
}

static int call_begin(const char *ranges)
{
    static const MarkerPythonTool tool = {sizeof tool,       0,
                                          InitInjectionMstx, mark_collectives,
                                          collectives_group, collectives_usual_group};
    PyObject *function = find_function("begin");
    PyObject *capsule = python.new_capsule((void *)(uintptr_t)&tool, MARKER_PYTHON_TOOL, NULL);
    PyObject *text = python.from_text(ranges);
    PyObject *answer = NULL;

    if (function && capsule && text)
        answer = python.call(function, capsule, text, NULL);
    int failed = function && !answer;
    PyObject *const held[] = {function, capsule, text, answer};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (held[i])
            python.unref(held[i]);
    python.clear_error();
    is_begun = answer != NULL;
    return failed;
}

void python_marks_open(const StrobeHost *new_host, StrobeInstance *new_self)
{
    host = new_host;
    self = new_self;
}

void python_marks_begin(void)
{
    if (strobe_interpreter_state() != STROBE_INTERPRETER_RUNS || strobe_python_find(&python))
        return;
    int lock = python.lock();
    int failed = call_begin(host->option_text(self, "ranges"));
    python.unlock(lock);
    if (failed)
        host->log(self, STROBE_LOG_WARNING,
                  "Marks of Python are not recorded: strobe.marks failed");
}

void python_marks_end(void)
{
    collectives_end();
    /* the interpreter and what was replaced in it may have gone */
    if (!is_begun || !python.is_initialized())
        return;
    int lock = python.lock();
    PyObject *function = find_function("end");
    PyObject *answer = function ? python.call(function, NULL) : NULL;
    if (answer)
        python.unref(answer);
    if (function)
        python.unref(function);
    python.clear_error();
    python.unlock(lock);
    is_begun = 0;
}
