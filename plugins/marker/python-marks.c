/* SPDX-License-Identifier: Apache-2.0 */
#include "python-marks.h"

#include <strobe/helpers/interpreter.h>
#include <strobe/helpers/python.h>
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

static int call_begin(const char *ranges)
{
    static const MarkerPythonTool tool = {sizeof tool,       0,
                                          InitInjectionMstx, mark_collectives,
                                          collectives_group, collectives_usual_group};
    PyObject *function = strobe_python_own_function(&python, "strobe.marks", "begin");
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
    /* the interpreter may have ended */
    if (!is_begun || !python.is_initialized())
        return;
    int lock = python.lock();
    PyObject *function = strobe_python_own_function(&python, "strobe.marks", "end");
    PyObject *answer = function ? python.call(function, NULL) : NULL;
    if (answer)
        python.unref(answer);
    if (function)
        python.unref(function);
    python.clear_error();
    python.unlock(lock);
    is_begun = 0;
}
