/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the host's functions for passes and exporters. */
#include <string.h>
#include "consumer.h"
#include "made-capture.h"
#include "memory-shares.h"
#include "support.h"

typedef struct Asked {
    StrobeStringId text;
    StrobeStackId stack;
    gboolean touches_gap[2]; /* whether gaps are touched, before raw_end and from raw_end on */
} Asked;

static const StrobeConsumerHost *asked_host;
static StrobeInstance *asked_self;

static Asked asked;

static StrobeStatus ask_host(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    const StrobeStringId frames[] = {1, 2};

    *state = NULL;
    asked_host = host;
    asked_self = self;
    asked.touches_gap[0] = host->touches_gap(self, 0, 0, 1);
    asked.text = host->intern(self, "a new text", 10);
    asked.stack = host->stack(self, frames, 2);
    return STROBE_OK;
}

static StrobeStatus take_records(void *state, const StrobeView *records, size_t n)
{
    return STROBE_OK;
}

static StrobeStatus raw_end(void *state)
{
    asked.touches_gap[1] = asked_host->touches_gap(asked_self, 0, 0, 1);
    return STROBE_OK;
}

static StrobeStatus finish_pass(void *state)
{
    return STROBE_OK;
}

static void close_it(void *state)
{
}

static const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                      .open = ask_host,
                                      .batch = take_records,
                                      .raw_end = raw_end,
                                      .end = finish_pass,
                                      .close = close_it};
static const char *const wants[] = {"*", NULL};

static Asked ask_as(guint32 type)
{
    const StrobeComponent component = {.struct_size = sizeof component,
                                       .type = type,
                                       .name = "asking",
                                       .ops = &ops,
                                       .wants = wants};
    char *folder = scratch_new();
    g_autofree char *path = g_build_filename(folder, "capture.strobe", NULL);
    g_autoptr(GError) error = NULL;
    StrobeMetadata metadata = {.struct_size = sizeof metadata};

    made_capture_load(path, 100);
    StrobeReader *reader = strobe_reader_open(path, &error);
    g_assert_no_error(error);
    StrobeConsumer *consumer = strobe_consumer_new(&component, NULL, &error);
    g_assert_no_error(error);
    memset(&asked, 0xff, sizeof asked);
    StrobeGaps *gaps = strobe_gaps_new();
    StrobeStorage *storage = strobe_storage_new(NULL);
    strobe_consumer_open(consumer, reader, &metadata, storage);
    g_assert_true(consumer->is_open);
    strobe_consumer_raw_end(consumer, &metadata, gaps);
    strobe_consumer_close(consumer);
    strobe_gaps_free(gaps);
    strobe_consumer_free(consumer);
    strobe_storage_free(storage);
    strobe_reader_free(reader);
    scratch_remove(folder);
    return asked;
}

static void test_intern(void)
{
    Asked pass = ask_as(STROBE_COMPONENT_PASS), exporter = ask_as(STROBE_COMPONENT_EXPORTER);

    g_assert_cmpuint(pass.text, !=, 0);
    g_assert_cmpuint(pass.stack, !=, 0);
    g_assert_cmpuint(exporter.text, !=, 0);
    g_assert_cmpuint(exporter.stack, !=, 0);
}

/* Which records touch a gap is unknown before all records have been read. */
static void test_gaps(void)
{
    Asked pass = ask_as(STROBE_COMPONENT_PASS);

    g_assert_true(pass.touches_gap[0]);
    g_assert_false(pass.touches_gap[1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/consumer/intern", test_intern);
    g_test_add_func("/consumer/gaps", test_gaps);
    return g_test_run();
}
