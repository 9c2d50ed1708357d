/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/perf_event.h>
#include <string.h>
#include <strobe/strobe-plugin.h>
#include <unistd.h>

#include "../../sdk/check/mock-host.h"
#include "call-chain.h"
#include "sample-event.h"
#include "sample-time.h"
#include "sample-tasks.h"
#include "stack-copy.h"

extern const StrobePlugin strobe_plugin_1;

typedef struct Fixture {
    StrobeMockHost *mock;
    StrobeWriter *writer;
    CodeObjects objects;
    AddressSpace space;
    StrobeHost host; /* the mock host, with another function for stacks */
    CallChains chains;
} Fixture;

/* The stack that was interned last. */
static StrobeStringId frames[16];
static gsize n_frames;

static StrobeStackId keep_stack(StrobeWriter *writer, const StrobeStringId *ids, size_t n)
{
    g_assert_cmpuint(n, <=, G_N_ELEMENTS(frames));
    memcpy(frames, ids, n * sizeof *ids);
    n_frames = n;
    return 1;
}

static void set_up(Fixture *f, gconstpointer unused)
{
    f->mock = strobe_mock_host_new(&strobe_plugin_1, NULL);
    strobe_mock_host_gate(f->mock, 1);
    f->host = *strobe_mock_host_table(f->mock);
    f->host.stack = keep_stack;
    f->chains.host = &f->host;
    f->writer = f->chains.host->writer(strobe_mock_host_instance(f->mock));
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    g_assert_cmpstr(strobe_mock_host_complaints(f->mock), ==, "");
    call_chains_clear(&f->chains);
    address_space_clear(&f->space);
    code_objects_clear(&f->objects);
    strobe_mock_host_free(f->mock);
}

static void test_numbers(void)
{
    NumberTable table = {.n = 0};

    g_assert_cmpuint(number_table_find(&table, 0), ==, 0);
    for (guint64 i = 0; i < 10000; i++)
        g_assert_cmpint(number_table_add(&table, i << 40, i + 1), ==, 0);
    for (guint64 i = 0; i < 10000; i++)
        g_assert_cmpuint(number_table_find(&table, i << 40), ==, i + 1);
    g_assert_cmpuint(number_table_find(&table, 1), ==, 0);
    number_table_clear(&table);
}

static void map_code(Fixture *f, guint64 begin, guint64 end, guint64 offset)
{
    address_space_add(&f->space, &(MappedCode){begin, end, offset, NULL});
}

static char *format_spaces(const Fixture *f)
{
    GString *text = g_string_new(NULL);

    for (gsize i = 0; i < f->space.n; i++)
        g_string_append_printf(text, "%d-%d@%d ", (int)f->space.mapped[i].begin,
                               (int)f->space.mapped[i].end, (int)f->space.mapped[i].offset);
    return g_string_free(text, FALSE);
}

static void expect_spaces(const Fixture *f, const char *expected)
{
    g_autofree char *text = format_spaces(f);

    g_assert_cmpstr(text, ==, expected);
}

static void test_mappings(Fixture *f, gconstpointer unused)
{
    map_code(f, 10, 20, 100);
    map_code(f, 30, 40, 300);
    map_code(f, 20, 30, 200);
    expect_spaces(f, "10-20@100 20-30@200 30-40@300 ");
    map_code(f, 15, 35, 500);
    expect_spaces(f, "10-15@100 15-35@500 35-40@305 ");
    map_code(f, 20, 25, 600);
    expect_spaces(f, "10-15@100 15-20@500 20-25@600 25-35@510 35-40@305 ");
    map_code(f, 10, 40, 700);
    expect_spaces(f, "10-40@700 ");
    map_code(f, 5, 5, 0);
    map_code(f, 0, 10, 1);
    map_code(f, 40, 50, 2);
    expect_spaces(f, "0-10@1 10-40@700 40-50@2 ");
    g_assert_cmpuint(address_space_find(&f->space, 39)->begin, ==, 10);
    g_assert_cmpuint(address_space_find(&f->space, 40)->begin, ==, 40);
    g_assert_null(address_space_find(&f->space, 50));
}

static const char *get_frame(Fixture *f, gsize i)
{
    g_assert_cmpuint(i, <, n_frames);
    return strobe_mock_host_string(f->mock, frames[i], NULL);
}

/* Addresses of the test's own functions are resolved by the mapping of its own file. */
static void test_own_code(Fixture *f, gconstpointer unused)
{
    const guint64 address = (guint64)(gsize)(void *)test_own_code;
    const guint64 chain[] = {PERF_CONTEXT_USER, address, address + 1, 1, address};
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
    StrobeNativeFrame first, second;

    g_assert_cmpint(address_space_read(&f->space, &f->objects, getpid()), ==, 0);
    call_chain_intern(&f->chains, f->writer, &f->space, chain, G_N_ELEMENTS(chain), NULL);
    const char *texts[] = {get_frame(f, 0), get_frame(f, 1)};
    g_assert_true(strobe_native_frame_read(texts[0], strlen(texts[0]), &first));
    g_assert_cmpmem(first.path, first.path_length, path, strlen(path));
    g_assert_cmpuint(first.address % 4096, ==, address % 4096);
    g_assert_true(strobe_native_frame_read(texts[1], strlen(texts[1]), &second));
    g_assert_cmpuint(second.address, ==,
                     first.address);   /* it is a return address, so the call precedes it */
    g_assert_cmpuint(n_frames, ==, 2); /* the process has no code at the address 1 */
}

/* Python frames replace the native frames of the interpreter and of its callers. */
static void test_python_callers(Fixture *f, gconstpointer unused)
{
    static PythonCode inner = {.id = 0x101}, outer = {.id = 0x102};
    PythonStack stack = {.n = 2, .frames = {&inner, &outer}};
    CodeObject interpreter = {.path = (char *)"[python]"}, library = {.path = (char *)"[library]"};
    const PythonCallers python = {&interpreter, &stack};
    const guint64 chain[] = {PERF_CONTEXT_USER, 20, 40, 41, 21};

    address_space_add(&f->space, &(MappedCode){16, 32, 0, &library});
    address_space_add(&f->space, &(MappedCode){32, 64, 0, &interpreter});
    g_assert_true(call_chain_has(&f->space, chain, G_N_ELEMENTS(chain), &interpreter));
    g_assert_false(call_chain_has(&f->space, chain, 2, &interpreter));
    call_chain_intern(&f->chains, f->writer, &f->space, chain, G_N_ELEMENTS(chain), &python);
    g_assert_cmpuint(n_frames, ==, 3);
    g_assert_cmpstr(get_frame(f, 0), ==, "[library]");
    g_assert_cmpuint(frames[1], ==, inner.id);
    g_assert_cmpuint(frames[2], ==, outer.id);
    f->chains.frames_max = 1;
    call_chain_intern(&f->chains, f->writer, &f->space, chain + 2, 1, &python);
    g_assert_cmpuint(n_frames, ==, 1);
    g_assert_cmpuint(frames[0], ==, inner.id);
    number_table_clear(&library.frames);
    number_table_clear(&interpreter.frames);
}

static void test_kernel(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = NULL;
    const guint64 chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000105, 0xffffffff81000200,
                             PERF_CONTEXT_USER, 16};
    int file = g_file_open_tmp("strobe-kallsyms-XXXXXX", &path, NULL);

    close(file);
    g_file_set_contents(path,
                        "0000000000000000 A fixed\nffffffffc0000000 t probe\t[net]\n"
                        "ffffffff81000100 T do_work\nffffffff81000180 t do_more\n"
                        "ffffffff81000104 d data\n",
                        -1, NULL);
    f->chains.kernel = kernel_symbols_open(path);
    g_assert_cmpint(kernel_symbols_read(f->chains.kernel), ==, 1);
    call_chain_intern(&f->chains, f->writer, &f->space, chain, G_N_ELEMENTS(chain), NULL);
    g_assert_cmpstr(get_frame(f, 0), ==, "do_work (kernel)");
    g_assert_cmpstr(get_frame(f, 1), ==, "do_more (kernel)");
    g_assert_cmpuint(n_frames, ==, 2);
    char text[64];
    kernel_symbols_name(f->chains.kernel, 0xffffffffc0000010, text, sizeof text);
    g_assert_cmpstr(text, ==, "probe (net)");
    kernel_symbols_name(f->chains.kernel, 0xffffffff80000000, text, sizeof text);
    g_assert_cmpstr(text, ==, "kernel");
    g_file_set_contents(path, "0000000000000000 T hidden\n", -1, NULL);
    KernelSymbols *hidden = kernel_symbols_open(path);
    g_assert_cmpint(kernel_symbols_read(hidden), ==, 1);
    kernel_symbols_name(hidden, 0xffffffffc0000010, text, sizeof text);
    g_assert_cmpstr(text, ==, "kernel");
    kernel_symbols_free(hidden);
    g_remove(path);
}

/* Two files with the same path are distinguished by the build-id that the kernel reports. A file
 * with another build-id is not read. */
static void test_replaced_file(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
    CodeMapping mapping = {.begin = 1, .end = 2, .path = path};
    const CodeObject *own = code_objects_find(&f->objects, getpid(), &mapping);

    g_assert_cmpuint(own->n_segments, >, 0);
    g_assert_true(own == code_objects_find(&f->objects, getpid(), &mapping));
    mapping.build_id = (StrobeBuildId){4, {1, 2, 3, 4}};
    const CodeObject *other = code_objects_find(&f->objects, getpid(), &mapping);
    g_assert_true(other != own);
    g_assert_cmpuint(other->n_segments, ==, 0);
    g_assert_cmpuint(code_object_address(other, 77), ==, 77);
    g_assert_true(other == code_objects_find(&f->objects, getpid(), &mapping));
}

static void test_object_names(Fixture *f, gconstpointer unused)
{
    static const char *const paths[][2] = {
        {"", "/tmp/perf-7.map"}, {"//anon", "/tmp/perf-7.map"},      {"[heap]", "/tmp/perf-7.map"},
        {"[vdso]", "[vdso]"},    {"/no/file (deleted)", "/no/file"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
        const CodeMapping mapping = {.path = paths[i][0]};
        g_assert_cmpstr(code_objects_find(&f->objects, 7, &mapping)->path, ==, paths[i][1]);
    }
}

static void test_processes(Fixture *f, gconstpointer unused)
{
    Tasks tasks = {.host = f->chains.host, .self = strobe_mock_host_instance(f->mock)};
    const CodeMapping mapping = {.begin = 16, .end = 32, .path = "[vdso]"};
    const pid_t parent = 1u << 30, child = parent + 1; /* no process has these ids */

    tasks_map(&tasks, parent, &mapping);
    tasks_fork(&tasks, parent, child);
    g_assert_nonnull(address_space_find(&tasks_process(&tasks, child)->space, 16));
    tasks_map_data(&tasks, child, "/dev/shm/strobe-7-00c0ffee.pool");
    tasks_fork(&tasks, child, child + 1);
    g_assert_true(tasks_process(&tasks, child)->is_recorded);
    g_assert_true(tasks_process(&tasks, child + 1)->is_recorded);
    tasks_exec(&tasks, child);
    g_assert_false(tasks_process(&tasks, child)->is_recorded);
    tasks_map_data(&tasks, child, "/dev/shm/strobe-7-00c0ffee");
    tasks_map_data(&tasks, child, "x.pool");
    g_assert_false(tasks_process(&tasks, child)->is_recorded);
    g_assert_null(address_space_find(&tasks_process(&tasks, child)->space, 16));
    /* a second thread of the process: the process continues when one of the two threads ends */
    tasks_fork(&tasks, parent, parent);
    tasks_exit(&tasks, parent);
    g_assert_nonnull(address_space_find(&tasks_process(&tasks, parent)->space, 16));
    tasks_exit(&tasks, parent);
    g_assert_null(address_space_find(&tasks_process(&tasks, parent)->space, 16));
    tasks_rename(&tasks, parent, parent, "worker");
    g_assert_cmpstr(tasks_thread(&tasks, parent, parent)->name, ==, "worker");
    const StrobeTrack *track =
        strobe_mock_host_track(f->mock, tasks_thread(&tasks, parent, parent)->track);
    g_assert_cmpuint(track->id, ==, parent);
    g_assert_cmpuint(track->clock, ==, STROBE_CLOCK_MONOTONIC);
    tasks_clear(&tasks);
}

/* Consecutive samples correspond to a clock of 2 GHz. The first samples have too few cycles to be
 * used. */
static void test_time_of_cycles(void)
{
    g_autofree SampleRate *rate = g_new0(SampleRate, 1);

    rate->nominal_ns = 1000000;
    g_assert_cmpint(sample_rate_time(rate, 0, 5, 1000, 1), ==, 0);
    g_assert_cmpint(sample_rate_time(rate, 0, 5, 2000, 100), ==, 0);
    g_assert_cmpint(sample_rate_time(rate, 0, 5, 5000000, 2000000), ==, 1000000);
    g_assert_cmpint(sample_rate_time(rate, 0, 5, 6000000, 2000000), ==, 1000000);
    g_assert_cmpint(sample_rate_time(rate, 0, 6, 6200000, 4000000), ==, 2000000);
    g_assert_cmpint(sample_rate_time(rate, 1, 5, 6400000, 400), ==, 200);
    g_assert_cmpint(sample_rate_time(rate, 1, 5, 9400000, 1000000), ==, 500000);
}

static void test_cut_events(void)
{
    union {
        Sample sample;
        char bytes[sizeof(Sample) + 16];
    } event = {.sample = {.header = {.size = sizeof event}, .n_addresses = 2}};

    g_assert_nonnull(sample_event_read(&event.sample.header));
    event.sample.n_addresses = 3;
    g_assert_null(sample_event_read(&event.sample.header));
    event.sample.n_addresses = G_MAXUINT64;
    g_assert_null(sample_event_read(&event.sample.header));
    event.sample.header.size = sizeof(Sample) - 1;
    g_assert_null(sample_event_read(&event.sample.header));
}

/* The words of a sample after its call chain: registers and a copy of the stack. */
typedef struct CopiedSample {
    Sample head;
    guint64 words[64];
} CopiedSample;

static gboolean read_copy(CopiedSample *sample, gsize n_words, StackCopy *copy)
{
    sample->head.header.size = (guint16)(sizeof(Sample) + n_words * sizeof(guint64));
    return stack_copy_read(&sample->head, copy) != 0;
}

/* Whatever sizes the event has, the copy that is returned lies within the event. */
static void test_stack_copies(void)
{
    const gsize n_registers = (gsize)__builtin_popcountll(stack_copy_registers());
    const gsize size_at = 1 + n_registers, n_whole = size_at + 1 + 4 + 1;
    CopiedSample sample = {.words = {PERF_SAMPLE_REGS_ABI_64}};
    StackCopy copy;

    if (n_registers == 0) {
        g_test_skip("stacks are not unwound on this machine");
        return;
    }
    for (gsize i = 0; i < n_registers; i++)
        sample.words[1 + i] = 1000 + i;
    sample.words[size_at] = 32;
    sample.words[size_at + 5] = 24; /* number of bytes of these 32 that were copied */
    g_assert_true(read_copy(&sample, n_whole, &copy));
    g_assert_cmpuint(copy.n_bytes, ==, 24);
    g_assert_true(copy.bytes == (const char *)&sample.words[size_at + 1]);
    g_assert_cmpuint(copy.registers.pc, >=, 1000);
    g_assert_cmpuint(copy.registers.stack, !=, copy.registers.pc);
    sample.words[size_at + 5] = G_MAXUINT64;
    g_assert_true(read_copy(&sample, n_whole, &copy));
    g_assert_cmpuint(copy.n_bytes, ==, 32);
    for (gsize n = 0; n < n_whole; n++)
        g_assert_false(read_copy(&sample, n, &copy));
    sample.words[size_at] = G_MAXUINT64 - 7;
    g_assert_false(read_copy(&sample, n_whole, &copy));
    sample.words[size_at] = 31;
    g_assert_false(read_copy(&sample, n_whole, &copy));
    sample.words[size_at] = 0; /* the thread has no stack */
    g_assert_false(read_copy(&sample, n_whole, &copy));
    sample.words[size_at] = 32;
    sample.words[0] = PERF_SAMPLE_REGS_ABI_NONE;
    g_assert_false(read_copy(&sample, n_whole, &copy));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cpu_sample/numbers", test_numbers);
#define ADD(name, function)                                                                        \
    g_test_add("/cpu_sample/" name, Fixture, NULL, set_up, function, tear_down)
    ADD("mappings", test_mappings);
    ADD("own-code", test_own_code);
    ADD("python-callers", test_python_callers);
    ADD("kernel", test_kernel);
    ADD("replaced-file", test_replaced_file);
    ADD("object-names", test_object_names);
    ADD("processes", test_processes);
    g_test_add_func("/cpu_sample/time-of-cycles", test_time_of_cycles);
    g_test_add_func("/cpu_sample/cut-events", test_cut_events);
    g_test_add_func("/cpu_sample/stack-copies", test_stack_copies);
    return g_test_run();
}
