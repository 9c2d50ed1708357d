/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/interpreter.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int strobe_interpreter_state(void)
{
    int (*is_initialized)(void);
    *(void **)&is_initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    if (!is_initialized)
        return STROBE_INTERPRETER_NONE;
    return is_initialized() ? STROBE_INTERPRETER_RUNS : STROBE_INTERPRETER_IDLE;
}

void strobe_interpreter_probe(uint32_t question, StrobeProbe *answer)
{
    const int state = strobe_interpreter_state();

    answer->available = question == STROBE_PROBE_MACHINE || state == STROBE_INTERPRETER_RUNS ? 1
                        : state == STROBE_INTERPRETER_IDLE                                   ? 2
                                                                                             : 0;
    answer->reason = answer->available == 1   ? NULL
                     : answer->available == 2 ? "Python is not initialised in this process"
                                              : "There is no Python in this process";
    answer->hint = NULL;
}

/* Returns the text of sys.version; "" if there is no CPython. */
static const char *long_version(void)
{
    const char *(*get_version)(void);

    *(void **)&get_version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    return get_version ? get_version() : "";
}

int strobe_interpreter_is_free_threaded(void)
{
    return strstr(long_version(), "free-threading") != NULL;
}

void strobe_interpreter_version(char *text, unsigned long size)
{
    const char *version = long_version();

    snprintf(text, size, "%.*s", (int)strcspn(version, " "), version);
}
