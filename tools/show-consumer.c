/* SPDX-License-Identifier: Apache-2.0 */
#include "show-consumer.h"

#include <string.h>

#include "pager.h"
#include "progress-bar.h"

struct StrobeShowConsumer {
    StrobeComponent component;
    GPtrArray *wants; /* names of kinds; NULL-terminated during the run */
    GArray *tables;   /* of StrobeShowTable */
    StrobeShowSource source;
};

/* The consumer of the current run. It is a global variable, because a consumer receives no user
 * pointer; this command runs one pipeline at a time. */
static StrobeShowConsumer *watched;

static StrobeStatus consumer_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                  void **state)
{
    StrobeShowConsumer *consumer = watched;

    consumer->source.host = host;
    consumer->source.self = self;
    for (guint i = 0; i < consumer->tables->len; i++) {
        const StrobeShowTable *table = &g_array_index(consumer->tables, StrobeShowTable, i);
        table->open(table->table, &consumer->source);
    }
    *state = consumer;
    return STROBE_OK;
}

/* Adds the records of the table's kind to the table. Successive records mostly have the same kind,
 * so the names of the kinds are compared only when the kind changes. */
static StrobeStatus add_records(const StrobeShowTable *table, const StrobeView *records, size_t n)
{
    const StrobeKindView *kind = NULL;
    gboolean is_wanted = FALSE;
    StrobeStatus status = STROBE_OK;

    for (size_t i = 0; i < n && status == STROBE_OK; i++) {
        if (records[i].kind != kind) {
            kind = records[i].kind;
            is_wanted = strcmp(kind->name, table->kind) == 0;
        }
        if (is_wanted)
            status = table->add(table->table, &records[i]);
    }
    return status;
}

static StrobeStatus consumer_batch(void *state, const StrobeView *records, size_t n)
{
    const StrobeShowConsumer *consumer = state;
    StrobeStatus status = STROBE_OK;

    for (guint i = 0; i < consumer->tables->len && status == STROBE_OK; i++)
        status = add_records(&g_array_index(consumer->tables, StrobeShowTable, i), records, n);
    return status;
}

static StrobeStatus consumer_end(void *state)
{
    const StrobeShowConsumer *consumer = state;
    StrobeStatus status = STROBE_OK;

    for (guint i = 0; i < consumer->tables->len && status == STROBE_OK; i++) {
        const StrobeShowTable *table = &g_array_index(consumer->tables, StrobeShowTable, i);
        status = table->end(table->table);
    }
    return status;
}

static void consumer_close(void *state)
{
    const StrobeShowConsumer *consumer = state;

    for (guint i = 0; i < consumer->tables->len; i++) {
        const StrobeShowTable *table = &g_array_index(consumer->tables, StrobeShowTable, i);
        table->close(table->table);
    }
}

StrobeShowConsumer *strobe_show_consumer_new(const char *name)
{
    static const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                          .open = consumer_open,
                                          .batch = consumer_batch,
                                          .end = consumer_end,
                                          .close = consumer_close};
    StrobeShowConsumer *consumer = g_new0(StrobeShowConsumer, 1);

    consumer->component = (StrobeComponent){.struct_size = sizeof consumer->component,
                                            .type = STROBE_COMPONENT_EXPORTER,
                                            .name = name,
                                            .summary = "Tables for the terminal.",
                                            .ops = &ops};
    consumer->wants = g_ptr_array_new();
    consumer->tables = g_array_new(FALSE, FALSE, sizeof(StrobeShowTable));
    return consumer;
}

void strobe_show_consumer_free(StrobeShowConsumer *consumer)
{
    if (!consumer)
        return;
    g_ptr_array_unref(consumer->wants);
    g_array_unref(consumer->tables);
    g_free(consumer);
}

void strobe_show_consumer_add(StrobeShowConsumer *consumer, StrobeShowTable table)
{
    g_array_append_val(consumer->tables, table);
    if (!g_ptr_array_find_with_equal_func(consumer->wants, table.kind, g_str_equal, NULL))
        g_ptr_array_add(consumer->wants, (gpointer)table.kind);
}

static gboolean set_up(StrobeShowConsumer *consumer, StrobePipeline *pipeline,
                       const GPtrArray *passes, GError **error)
{
    for (guint i = 0; passes && i < passes->len; i++)
        if (!strobe_pipeline_set_pass(pipeline, g_ptr_array_index(passes, i), error))
            return FALSE;
    watched = consumer;
    consumer->source.pipeline = pipeline;
    g_ptr_array_add(consumer->wants, NULL);
    consumer->component.wants = (const char *const *)consumer->wants->pdata;
    return strobe_pipeline_add_consumer(pipeline, &consumer->component, error);
}

gboolean strobe_show_consumer_run(StrobeShowConsumer *consumer, StrobeRegistry *registry,
                                  const StrobeResult *result, const GPtrArray *passes,
                                  gboolean has_bar, GError **error)
{
    StrobePipeline *pipeline = strobe_pipeline_new(registry);

    has_bar = has_bar && !strobe_pager_is_on();
    if (has_bar)
        strobe_pipeline_on_progress(pipeline, strobe_bar_show, (gpointer) "reading");
    gboolean good =
        set_up(consumer, pipeline, passes, error) && strobe_pipeline_run(pipeline, result, error);
    if (has_bar)
        strobe_bar_clear();
    strobe_pipeline_free(pipeline);
    return good;
}
