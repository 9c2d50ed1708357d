/* SPDX-License-Identifier: Apache-2.0 */
/* Components that end the process in one of their functions, if an option, the source's content, or
 * FAULTY_PROBE in the environment requests it. Their names differ from that of the file. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/strobe-plugin.h>

#define MAGIC "#faulty "

/* Ends the process. UBSan must not check this function, because it would report another error. */
__attribute__((no_sanitize("undefined"))) static void end_process(const char *how)
{
    if (!strncmp(how, "abort", 5))
        abort();
    if (!strncmp(how, "exit", 4))
        exit(0);
    if (!strncmp(how, "null", 4))
        *(volatile int *)NULL = 1;
    if (!strncmp(how, "trap", 4))
        __builtin_trap();
}

/* ---- a collector ---- */

static void collector_probe(uint32_t question, StrobeProbe *answer)
{
    const char *how = getenv("FAULTY_PROBE");

    (void)answer;
    if (question == STROBE_PROBE_MACHINE)
        end_process(how ? how : "");
}

static StrobeStatus collector_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    (void)host, (void)self, (void)state;
    return STROBE_OK;
}

static StrobeStatus collector_call(void *state)
{
    (void)state;
    return STROBE_OK;
}

static void collector_close(void *state)
{
    (void)state;
}

static const StrobeCollectorOps collector_ops = {.struct_size = sizeof collector_ops,
                                                 .probe = collector_probe,
                                                 .open = collector_open,
                                                 .start = collector_call,
                                                 .stop = collector_call,
                                                 .close = collector_close};

static const StrobeKind kind = {.struct_size = sizeof kind,
                                .shape = STROBE_SHAPE_INSTANT,
                                .name = "faulty_collector.kind",
                                .summary = "For tests."};

static const StrobeKind *const kinds[] = {&kind};

static const StrobeComponent collector = {.struct_size = sizeof collector,
                                          .type = STROBE_COMPONENT_COLLECTOR,
                                          .flags = STROBE_COMPONENT_ANY_PROCESS,
                                          .name = "faulty_collector",
                                          .summary = "For tests.",
                                          .kinds = kinds,
                                          .n_kinds = 1,
                                          .ops = &collector_ops};

/* ---- an importer: "#faulty probe HOW" or "#faulty import HOW" ---- */

static void importer_probe(const StrobeSource *source, StrobeSourceProbe *answer)
{
    if (source->n_head < 32 || memcmp(source->head, MAGIC, strlen(MAGIC)))
        return;
    const char *words = (const char *)source->head + strlen(MAGIC);
    if (!strncmp(words, "probe ", 6))
        end_process(words + 6);
    answer->score = 100;
}

static StrobeStatus importer_import(const StrobeImporterHost *host, StrobeInstance *self,
                                    const StrobeSource *source)
{
    const char *words = (const char *)source->head + strlen(MAGIC);

    if (!strncmp(words, "import ", 7))
        end_process(words + 7);
    return host->fail(self, STROBE_ERROR_INPUT, __FILE__, __LINE__, "made to fail");
}

static const StrobeImporterOps importer_ops = {
    .struct_size = sizeof importer_ops, .probe = importer_probe, .import = importer_import};

static const StrobeComponent importer = {.struct_size = sizeof importer,
                                         .type = STROBE_COMPONENT_IMPORTER,
                                         .name = "faulty_importer",
                                         .summary = "For tests.",
                                         .ops = &importer_ops};

/* ---- an exporter ---- */

static const char *const calls[] = {"none", "open", "batch", "raw_end", "end", "close", NULL};
static const char *const ways[] = {"abort", "exit", "null", "trap", NULL};

static const StrobeOption options[] = {
    {.struct_size = sizeof(StrobeOption),
     .type = STROBE_OPTION_ENUM,
     .name = "at",
     .default_value = "none",
     .choices = calls,
     .summary = "The call that ends the process."},
    {.struct_size = sizeof(StrobeOption),
     .type = STROBE_OPTION_ENUM,
     .name = "how",
     .default_value = "abort",
     .choices = ways,
     .summary = "How it does so."},
};

static const StrobeConsumerHost *host;
static StrobeInstance *self;

static StrobeStatus fault_at(const char *call)
{
    if (!strcmp(host->option_text(self, "at"), call))
        end_process(host->option_text(self, "how"));
    return STROBE_OK;
}

static StrobeStatus exporter_open(const StrobeConsumerHost *given, StrobeInstance *instance,
                                  void **state)
{
    (void)state;
    host = given;
    self = instance;
    return fault_at("open");
}

static StrobeStatus exporter_batch(void *state, const StrobeView *records, size_t n)
{
    (void)state, (void)records, (void)n;
    return fault_at("batch");
}

static StrobeStatus exporter_raw_end(void *state)
{
    (void)state;
    return fault_at("raw_end");
}

static StrobeStatus exporter_end(void *state)
{
    (void)state;
    return fault_at("end");
}

static void exporter_close(void *state)
{
    (void)state;
    fault_at("close");
}

static const StrobeConsumerOps exporter_ops = {.struct_size = sizeof exporter_ops,
                                               .open = exporter_open,
                                               .batch = exporter_batch,
                                               .raw_end = exporter_raw_end,
                                               .end = exporter_end,
                                               .close = exporter_close};

static const char *const wants[] = {"*", NULL};

static const StrobeComponent exporter = {.struct_size = sizeof exporter,
                                         .type = STROBE_COMPONENT_EXPORTER,
                                         .n_options = 2,
                                         .name = "faulty_exporter",
                                         .summary = "For tests.",
                                         .options = options,
                                         .wants = wants,
                                         .ops = &exporter_ops};

static const StrobeComponent *const components[] = {&collector, &importer, &exporter};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 3,
    .name = "faulty_calls",
    .version = "1",
    .summary = "For tests.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
