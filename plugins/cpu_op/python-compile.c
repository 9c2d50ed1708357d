/* SPDX-License-Identifier: Apache-2.0 */
#include "python-compile.h"

#include <strobe/helpers/interpreter.h>
#include <strobe/helpers/python.h>
#include "compile-marks.h"
#include "group-operations.h"

static Python python;
static CompileTool tool;
static const StrobeHost *host;
static StrobeInstance *self;
static const StrobeTorchBackend *backend;
static int is_open; /* the package strobe.compiled was opened for the session */

/* Calls a function of the package strobe.compiled with up to two arguments (NULL: no further
 * argument). Returns 1 on success, 0 if the function failed, and -1 if it does not exist. */
static int call_function(const char *name, PyObject *first, PyObject *second)
{
    PyObject *function = strobe_python_own_function(&python, "strobe.compiled", name);
    PyObject *answer = function ? python.call(function, first, second, NULL) : NULL;
    int result = !function ? -1 : answer != NULL;

    if (answer)
        python.unref(answer);
    if (function)
        python.unref(function);
    python.clear_error();
    return result;
}

static int call_open(void)
{
    int has_kernels = host->option_bool(self, "compiled_kernels");
    PyObject *capsule = python.new_capsule(&tool, COMPILE_TOOL, NULL);
    PyObject *kernels = python.from_text(has_kernels ? "kernels" : "");
    int result = capsule && kernels ? call_function("open", capsule, kernels) : 0;

    if (capsule)
        python.unref(capsule);
    if (kernels)
        python.unref(kernels);
    python.clear_error();
    return result;
}

static void set_thread(const CompileThread *options)
{
    uint32_t bits = 0;

    if (options)
        bits = STROBE_TORCH_OWN |
               (options->shapes ? STROBE_TORCH_INPUTS | STROBE_TORCH_VALUES : 0u) |
               (options->stack ? STROBE_TORCH_STACK : 0u) |
               (options->flops ? STROBE_TORCH_FLOPS : 0u) |
               (options->modules ? STROBE_TORCH_MODULES : 0u);
    backend->set_thread(bits);
}

void python_compile_open(const StrobeHost *new_host, StrobeInstance *new_self,
                         const StrobeTorchBackend *new_backend)
{
    host = new_host;
    self = new_self;
    backend = new_backend;
    if (strobe_interpreter_state() != STROBE_INTERPRETER_RUNS || strobe_python_find(&python))
        return;
    tool = (CompileTool){sizeof tool,
                         0,
                         compile_marks_now,
                         compile_marks_add_range,
                         compile_marks_add_instant,
                         backend->begin_function,
                         backend->end_function,
                         group_operations_name,
                         group_operations_name_usual,
                         set_thread};
    int lock = python.lock();
    int result = call_open();
    python.unlock(lock);
    is_open = result > 0;
    if (!result)
        host->log(self, STROBE_LOG_WARNING,
                  "What torch.compile does is not recorded: strobe.compiled failed");
}

/* Calls a function of the package if it is open. Does nothing if the interpreter has ended. */
static void call_if_open(const char *name)
{
    if (!is_open || !python.is_initialized())
        return;
    int lock = python.lock();
    call_function(name, NULL, NULL);
    python.unlock(lock);
}

void python_compile_record(int on)
{
    call_if_open(on ? "start" : "stop");
}

void python_compile_close(void)
{
    call_if_open("close");
    is_open = 0;
}
