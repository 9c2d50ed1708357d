/* SPDX-License-Identifier: Apache-2.0 */
#include "process-groups.h"

#include <strobe/helpers/interpreter.h>
#include <strobe/helpers/python.h>

void process_groups_collect(StrobeMetadataEntrySink sink, void *user)
{
    Python python;

    if (strobe_interpreter_state() != STROBE_INTERPRETER_RUNS || strobe_python_find(&python))
        return;
    int lock = python.lock();
    PyObject *function =
        strobe_python_own_function(&python, "strobe.run.process_groups", "describe");
    PyObject *answer = function ? python.call(function, NULL) : NULL;
    PySize length = 0;
    const char *text = answer && answer != python.none ? python.to_text(answer, &length) : NULL;

    if (text)
        sink(user, "distributedInfo", text, (size_t)length, 1);
    if (answer)
        python.unref(answer);
    if (function)
        python.unref(function);
    python.clear_error();
    python.unlock(lock);
}
