/* SPDX-License-Identifier: Apache-2.0 */
#include "heap-path.h"

#include <glib.h>
#include <string.h>

#include "mock-consumer-host.h"

extern const StrobePlugin strobe_plugin_1;

/* The kind of the collector `heap`, as in a capture. */
struct block {
    uint64_t address;
    int64_t size;
    double weight;
    StrobeStackId stack;
};

#define FIELD(name_, type_) {.name = name_, .type = STROBE_FIELD_##type_, .unit = "", .summary = ""}

static const StrobeField block_fields[] = {FIELD("address", U64), FIELD("size", I64),
                                           FIELD("weight", F64), FIELD("stack", STACK)};
static const StrobeKind block_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_MEMORY, "heap.block", "", block_fields, 4, 0};

static void add_block(StrobeMockHost *mock, uint64_t address, int64_t size, double weight,
                      StrobeStackId stack)
{
    const struct block fields = {address, size, weight, stack};

    strobe_mock_add(mock, &block_kind, 0, 0, 10, 10, &fields);
}

static void expect_path(StrobeMockHost *mock, size_t i, const char *name, int64_t live,
                        int64_t most, int64_t allocated, int64_t live_blocks,
                        int64_t allocated_blocks)
{
    const StrobeView *views;
    const struct heap_path *path;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, i);
    path = views[i].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[i].name), ==, name);
    g_assert_cmpint(path->live_bytes, ==, live);
    g_assert_cmpint(path->most_bytes, ==, most);
    g_assert_cmpint(path->allocated_bytes, ==, allocated);
    g_assert_cmpint(path->live_blocks, ==, live_blocks);
    g_assert_cmpint(path->allocated_blocks, ==, allocated_blocks);
}

static void test_paths(void)
{
    static const char *const leaking[] = {"leak", "main", NULL}, *const busy[] = {"work", "main",
                                                                                  NULL};
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    StrobeStackId leak = strobe_mock_stack(mock, leaking), work = strobe_mock_stack(mock, busy);

    add_block(mock, 8, -99, 1, 0); /* allocated before the window */
    add_block(mock, 64, 100, 1, work);
    add_block(mock, 128, 200, 1, work);
    add_block(mock, 64, -100, 1, 0);
    /* allocated by `leak`, at the address that the other path has released */
    add_block(mock, 64, 50, 1, leak);
    add_block(mock, 128, -200, 1, 0);
    add_block(mock, 256, 0, 1, leak);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 2);
    expect_path(mock, 0, "leak", 50, 50, 50, 2, 2);
    expect_path(mock, 1, "work", 0, 300, 300, 0, 2);
    strobe_mock_free(mock);
}

static void test_weights(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    add_block(mock, 64, 100, 10, 0);
    add_block(mock, 128, 10, 2.5, 0);
    add_block(mock, 64, -100, 1, 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_path(mock, 0, "", 25, 1025, 1025, 3, 13);
    strobe_mock_free(mock);
}

/* A release was not recorded: another block is allocated at the same address. */
static void test_address_again(void)
{
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    add_block(mock, 64, 100, 1, 0);
    add_block(mock, 64, 30, 1, 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_path(mock, 0, "", 30, 100, 130, 1, 2);
    strobe_mock_free(mock);
}

static int64_t peak_of(StrobeMockHost *mock, const char *name)
{
    const StrobeView *views;
    size_t n = strobe_mock_emitted(mock, &views);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(strobe_mock_text(mock, views[i].name), name))
            return ((const struct heap_path *)views[i].fields)->peak_bytes;
    return -1;
}

/* Checks the memory of each path at the time when the sum of all paths was largest; at this time
 * not every path has its own maximum. */
static void test_peak(void)
{
    static const char *const names[][2] = {{"early", NULL}, {"at", NULL}, {"late", NULL}};
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);
    StrobeStackId early = strobe_mock_stack(mock, names[0]), at = strobe_mock_stack(mock, names[1]),
                  late = strobe_mock_stack(mock, names[2]);

    add_block(mock, 64, 500, 1, early);
    add_block(mock, 64, -500, 1, 0);
    add_block(mock, 64, 100, 1, early);
    add_block(mock, 128, 600, 1, at); /* the sum has its peak here: 700 */
    add_block(mock, 128, -600, 1, 0);
    add_block(mock, 256, 550, 1, late);
    add_block(mock, 64, -100, 1, 0);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpint(peak_of(mock, "early"), ==, 100);
    g_assert_cmpint(peak_of(mock, "at"), ==, 600);
    g_assert_cmpint(peak_of(mock, "late"), ==, 0);
    strobe_mock_free(mock);
}

static guint64 n_compared;

/* Replaces GLib's function, to count its calls. */
gboolean(g_int64_equal)(gconstpointer a, gconstpointer b)
{
    n_compared++;
    return *(const guint64 *)a == *(const guint64 *)b;
}

/* The addresses have the same hash in GLib's function, which uses only the lower half. */
static void test_hostile_addresses(void)
{
    const guint n = 20000;
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], -1);

    for (guint64 i = 1; i <= n; i++)
        add_block(mock, i << 32, 100, 1, 0);
    for (guint64 i = 1; i <= n; i++)
        add_block(mock, i << 32, -100, 1, 0);
    n_compared = 0;
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(n_compared, <, 8 * n);
    expect_path(mock, 0, "", 0, 100 * n, 100 * n, 0, n);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/heap-path/paths", test_paths);
    g_test_add_func("/heap-path/peak", test_peak);
    g_test_add_func("/heap-path/weights", test_weights);
    g_test_add_func("/heap-path/address-again", test_address_again);
    g_test_add_func("/heap-path/hostile-addresses", test_hostile_addresses);
    return g_test_run();
}
