/* SPDX-License-Identifier: Apache-2.0 */
/* The source of all bad plugins. The macro FAULT chooses the fault, NAME is the name in the
 * descriptor. */
#include <signal.h>
#include <strobe/strobe-plugin.h>

#define GOOD 0
#define WRONG_ABI 1
#define NO_SYMBOL 2
#define TOO_NEW 3
#define TOO_SMALL 4
#define NO_OPS 5
#define CRASHES 6
#define HANGS 7
#define OPEN_FAILS 8
#define NEVER_DRAINED 9
#define COMPONENT_NAME 10
#define TWO_COMPONENTS 11
#define FIELD_TYPE 12
#define TWO_FIELDS 13
#define OPTION_NAME 14
#define OPTION_TYPE 15
#define TWO_OPTIONS 16
#define NO_CHOICES 17
#define BAD_DEFAULT 18
#define OPEN_CRASHES 19

static StrobeStatus bad_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
#if FAULT == OPEN_FAILS
    return host->fail(self, STROBE_ERROR_FAILED, __FILE__, __LINE__, "made to fail");
#elif FAULT == OPEN_CRASHES
    (void)host, (void)self, (void)state;
    raise(SIGKILL);
    return STROBE_OK;
#else
    (void)host, (void)self, (void)state;
    return STROBE_OK;
#endif
}

__attribute__((unused)) static StrobeStatus bad_call(void *state)
{
    (void)state;
    return STROBE_OK;
}

#if FAULT == NEVER_DRAINED
static StrobeStatus bad_flush(void *state, StrobeTicks deadline)
{
    (void)state, (void)deadline;
    return STROBE_AGAIN;
}
#endif

static void bad_close(void *state)
{
    (void)state;
}

static const StrobeCollectorOps ops = {
    .struct_size = sizeof ops,
    .open = bad_open,
#if FAULT != NO_OPS
    .start = bad_call,
    .stop = bad_call,
#endif
#if FAULT == NEVER_DRAINED
    .flush = bad_flush,
#endif
    .close = bad_close,
};

static const StrobeField fields[] = {
    {"n", FAULT == FIELD_TYPE ? 99 : STROBE_FIELD_U64, 0, "", "For tests."},
    {FAULT == TWO_FIELDS ? "n" : "m", STROBE_FIELD_U64, 0, "", "For tests."},
};

static const StrobeKind kind = {.struct_size = sizeof kind,
                                .shape = STROBE_SHAPE_INSTANT,
                                .name = NAME ".kind",
                                .summary = "For tests.",
                                .fields = fields,
                                .n_fields = 2};

static const StrobeKind *const kinds[] = {&kind};

static const StrobeOption options[] = {
    {.struct_size = sizeof(StrobeOption),
     .type = FAULT == OPTION_TYPE  ? 99
             : FAULT == NO_CHOICES ? STROBE_OPTION_ENUM
                                   : STROBE_OPTION_INT,
     .name = FAULT == OPTION_NAME ? "a b" : "a",
     .default_value = FAULT == BAD_DEFAULT ? "11" : "1",
     .min = 1,
     .max = 10,
     .summary = "For tests."},
    {.struct_size = sizeof(StrobeOption),
     .type = STROBE_OPTION_BOOL,
     .name = FAULT == TWO_OPTIONS ? "a" : "b",
     .default_value = "true",
     .summary = "For tests."},
};

static const StrobeComponent component = {
    .struct_size = sizeof component,
    .type = STROBE_COMPONENT_COLLECTOR,
    .n_options = 2,
    .name = FAULT == COMPONENT_NAME ? "a:b" : NAME,
    .summary = "For tests.",
    .options = options,
    .kinds = kinds,
    .n_kinds = 1,
    .ops = &ops,
};

static const StrobeComponent *const components[] = {&component, &component};

#if FAULT == WRONG_ABI
#define SYMBOL strobe_plugin_9
#elif FAULT == NO_SYMBOL
#define SYMBOL something_else
#else
#define SYMBOL strobe_plugin_1
#endif

extern const StrobePlugin SYMBOL;
STROBE_PLUGIN_EXPORT const StrobePlugin SYMBOL = {
    .struct_size = FAULT == TOO_SMALL ? 8 : sizeof(StrobePlugin),
    .abi_minor = FAULT == TOO_NEW ? 77 : 0,
    .record_version = STROBE_RECORD_VERSION,
    .n_components = FAULT == TWO_COMPONENTS ? 2 : 1,
    .name = NAME,
    .version = "1",
    .summary = "For tests.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};

#if FAULT == CRASHES
__attribute__((constructor)) static void crash(void)
{
    __builtin_trap();
}
#elif FAULT == HANGS
#include <unistd.h>
__attribute__((constructor)) static void hang(void)
{
    for (;;)
        pause();
}
#endif
