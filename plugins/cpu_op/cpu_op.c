/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_op.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include <strobe/kinds.h>

#include "../torch_bridge/libtorch.h"
#include <strobe/helpers/python-stack.h>
#include "../torch_bridge/backend.h"
#include "compile-marks.h"
#include "group-operations.h"
#include "operators.h"
#include "python-compile.h"

/* The state of the collector. There is one for each process, because libtorch has one list of
 * callbacks. */
static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    const StrobeTorchBackend *backend;
    uint32_t wanted;                 /* STROBE_TORCH_* */
    const StrobePythonStack *stacks; /* NULL: Python stacks are not recorded */
    /* number of windows that python_call recorded before this session */
    uint32_t stack_windows;
    int is_reported; /* a message about missing stacks was logged */
} collector;

static const StrobeField own_fields[] = {
    {"cpu_op.flops", STROBE_FIELD_U64, 0, "",
     "Floating point operations, of operators that PyTorch knows a formula for."},
    {"cpu_op.values", STROBE_FIELD_STRING, 0, "",
     "Arguments that are no tensors: a JSON array with a text for each input."},
    {"cpu_op.modules", STROBE_FIELD_STRING, 0, "",
     "TorchScript modules in which the operator runs."},
    {"cpu_op.overload", STROBE_FIELD_STRING, 0, "", "Name of the operator's overload."},
};

/* Returns the kind with the optional fields appended. */
static const StrobeKind *extended_kind(void)
{
    enum { N_OWN = sizeof own_fields / sizeof *own_fields };
    static StrobeField fields[16];
    static StrobeKind kind;

    kind = strobe_kind_cpu_op;
    memcpy(fields, kind.fields, kind.n_fields * sizeof *fields);
    memcpy(fields + kind.n_fields, own_fields, sizeof own_fields);
    kind.fields = fields;
    kind.n_fields += N_OWN;
    return &kind;
}

static void read_options(const StrobeHost *host, StrobeInstance *self)
{
    collector.wanted = (host->option_bool(self, "shapes") ? STROBE_TORCH_INPUTS : 0u) |
                       (host->option_bool(self, "flops") ? STROBE_TORCH_FLOPS : 0u) |
                       (host->option_bool(self, "values") ? STROBE_TORCH_VALUES : 0u) |
                       (host->option_bool(self, "modules") ? STROBE_TORCH_MODULES : 0u) |
                       (host->option_bool(self, "overloads") ? STROBE_TORCH_OVERLOADS : 0u);
}

/* Finds the plugin that provides the Python stacks of threads. If the plugin is missing, logs this
 * and returns NULL. */
static const StrobePythonStack *find_stacks(const StrobeHost *host, StrobeInstance *self)
{
    char path[PATH_MAX];
    void *library = NULL;
    const StrobePythonStack *stacks = NULL;

    if (host->companion(self, STROBE_PYTHON_STACK_FILE, path, sizeof path) == STROBE_OK)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library)
        stacks = dlsym(library, STROBE_PYTHON_STACK_SYMBOL);
    if (stacks && stacks->struct_size >= sizeof *stacks)
        return stacks;
    host->log(self, STROBE_LOG_WARNING, "Operators have no stacks: there is no plugin \"%s\"",
              STROBE_PYTHON_STACK_FILE);
    return NULL;
}

static StrobeStatus declare_kind(const StrobeHost *host, StrobeInstance *self)
{
    int is_extended = (collector.wanted & ~(uint32_t)STROBE_TORCH_INPUTS) != 0;
    size_t size = is_extended ? sizeof(struct strobe_cpu_op_more) : sizeof(struct strobe_cpu_op);
    StrobeKindId kind;
    StrobeStatus status =
        host->kind(self, is_extended ? extended_kind() : &strobe_kind_cpu_op, &kind);

    if (status == STROBE_OK)
        strobe_operators_attach(host, self, kind, size, collector.backend->target);
    return status;
}

/* Opens the recording of communication on the host. The bridge to PyTorch also reports
 * communication. */
static StrobeStatus open_groups(const StrobeHost *host, StrobeInstance *self,
                                const StrobeLibtorch *libtorch)
{
    const void *reports;
    StrobeStatus status = strobe_backend_load(host, self, libtorch, STROBE_TORCH_COLLECTIVES_SYMBOL,
                                              sizeof(StrobeTorchCollectives), &reports);

    return status == STROBE_OK ? group_operations_open(host, self, reports) : status;
}

static StrobeStatus cpu_op_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    StrobeLibtorch libtorch;
    if (!strobe_libtorch_find(&libtorch))
        return STROBE_AGAIN;
    const void *backend;
    StrobeStatus status = strobe_backend_load(host, self, &libtorch, STROBE_TORCH_BACKEND_SYMBOL,
                                              sizeof *collector.backend, &backend);
    if (status != STROBE_OK)
        return status;
    collector.backend = backend;
    read_options(host, self);
    status = declare_kind(host, self);
    if (status == STROBE_OK)
        status = compile_marks_open(host, self);
    if (status == STROBE_OK && host->option_bool(self, "collectives"))
        status = open_groups(host, self, &libtorch);
    if (status != STROBE_OK)
        return status;
    collector.host = host;
    collector.self = self;
    collector.stacks = host->option_bool(self, "stack") ? find_stacks(host, self) : NULL;
    if (collector.stacks) /* the present window does not count as an earlier one */
        collector.stack_windows =
            collector.stacks->windows() - (collector.stacks->records() ? 1 : 0);
    collector.is_reported = 0;
    collector.backend->target->stack = collector.stacks ? collector.stacks->stack : NULL;
    python_compile_open(host, self, collector.backend);
    *state = &collector;
    return STROBE_OK;
}

static void tell_missing_groups(const char *reason)
{
    if (reason)
        collector.host->log(collector.self, STROBE_LOG_WARNING, "Communication is not recorded: %s",
                            reason);
}

static StrobeStatus cpu_op_start(void *state)
{
    const StrobeHost *host = collector.host;
    strobe_operators_record(1);
    const char *reason = collector.backend->enable(&strobe_operator_events, collector.wanted);
    if (!reason) {
        tell_missing_groups(group_operations_record(1));
        compile_marks_record(1);
        python_compile_record(1);
        return STROBE_OK;
    }
    strobe_operators_record(0);
    return host->fail(collector.self, STROBE_ERROR_FAILED, __FILE__, __LINE__,
                      "Cannot record operators: %s", reason);
}

/* Warns if python_call recorded nothing, so that there are no Python stacks. */
static void tell_missing_stacks(void)
{
    if (!collector.stacks || collector.is_reported ||
        collector.stacks->windows() != collector.stack_windows)
        return;
    collector.is_reported = 1;
    collector.host->log(
        collector.self, STROBE_LOG_WARNING,
        "Operators have no Python stacks: they come from the collector python_call, "
        "which does not record");
}

static StrobeStatus cpu_op_stop(void *state)
{
    python_compile_record(0);
    compile_marks_record(0);
    group_operations_record(0);
    collector.backend->disable();
    strobe_operators_record(0);
    strobe_operators_tell_losses();
    tell_missing_stacks();
    return STROBE_OK;
}

static void cpu_op_close(void *state)
{
    python_compile_close();
    compile_marks_close();
    group_operations_close();
    strobe_operators_detach();
    collector.backend->target->stack = NULL;
}

const StrobeCollectorOps strobe_cpu_op_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = strobe_backend_probe,
    .open = cpu_op_open,
    .start = cpu_op_start,
    .stop = cpu_op_stop,
    .close = cpu_op_close,
};
