/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the items of host_sys with recorded trees (known values, overflows, missing and unreadable
 * files), and with the live system, whose values are compared with the test's own measurements. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <strobe/kinds.h>

#include "../../sdk/check/test-tree.h"

static char *plugin_path;

static StrobeMockHost *load_plugin(const char *root, const char *items)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);
    g_assert_nonnull(mock);
    if (root) {
        g_assert_cmpint(strobe_mock_host_option(mock, "proc_root", root), ==, 0);
        g_assert_cmpint(strobe_mock_host_option(mock, "sys_root", root), ==, 0);
    }
    g_assert_cmpint(strobe_mock_host_option(mock, "interval", "1ms"), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "items", items), ==, 0);
    return mock;
}

static void start_mock(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
}

static void take_sample(StrobeMockHost *mock)
{
    g_usleep(1100);
    strobe_mock_host_sample(mock);
}

static void free_mock(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

static void set_uptime(const char *root, double seconds)
{
    char text[64];
    g_snprintf(text, sizeof text, "%.2f 9.00\n", seconds);
    tree_put(root, "uptime", text);
}

static void put_process(const char *root, int n_threads)
{
    char text[256];
    g_snprintf(text, sizeof text, "%d (p) S 1 2 3 0 -1 4 5 6 7 8 50 10 9 9 20 0 %d 0 100 1 2\n",
               (int)getpid(), n_threads);
    tree_put(root, "%d/stat", text);
}

/* Writes the files of a thread of the recorded process: run and wait times in ns, ticks in each
 * mode, and its processor. */
static void put_thread(const char *root, int tid, guint64 run, guint64 wait, int user, int system,
                       int processor)
{
    g_autofree char *schedstat = g_strdup_printf("%%d/task/%d/schedstat", tid);
    g_autofree char *stat = g_strdup_printf("%%d/task/%d/stat", tid);
    g_autofree char *account =
        g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " 7\n", run, wait);
    g_autofree char *line = g_strdup_printf(
        "%d (t) %d) S 1 2 3 0 -1 4 5 6 7 8 %d %d 9 9 20 0 2 0 100 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "
        "15 16 %d 19 20 21\n",
        tid, tid, user, system, processor);
    if (run != G_MAXUINT64)
        tree_put(root, schedstat, account);
    tree_put(root, stat, line);
}

static gboolean is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-6;
}

static void test_threads(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    put_process(root, 2);
    put_thread(root, 100, 1000000000, 0, 75, 25, 0);
    put_thread(root, 200, 500, 0, 0, 0, 1);
    StrobeMockHost *mock = load_plugin(root, "cpu");
    start_mock(mock);
    set_uptime(root, 101);
    put_thread(root, 100, 1500000000, 200000000, 90, 35, 1);
    take_sample(mock);
    const StrobeMockRecord *record = tree_record(mock, "host_thread", NULL, 0);
    const struct strobe_host_thread *busy = record->fields;
    g_assert_cmpstr(record->name, ==, "t) 100");
    g_assert_true(is_near(busy->usage, 50) && is_near(busy->wait, 20));
    g_assert_true(is_near(busy->user, 50 * 15 / 25.0) && is_near(busy->system, 50 * 10 / 25.0));
    g_assert_cmpuint(busy->tid, ==, 100);
    g_assert_cmpuint(busy->processor, ==, 1);
    g_assert_cmpuint(busy->interval, ==, 1000000000);
    const struct strobe_host_thread *idle = tree_record(mock, "host_thread", NULL, 1)->fields;
    g_assert_true(idle->usage == 0 && idle->wait == 0);
    const struct strobe_usage *usage = tree_record(mock, "usage", "CPU 1", 0)->fields;
    g_assert_true(is_near(usage->usage, 50));
    g_assert_null(tree_record(mock, "usage", "CPU 0", 0));
    const struct strobe_host_cpu *process = tree_record(mock, "host_cpu", NULL, 0)->fields;
    g_assert_true(is_near(process->wait, 20));
    set_uptime(root, 102); /* no thread runs: 100 gets one row of zeros, 200 gets none */
    take_sample(mock);
    set_uptime(root, 103);
    take_sample(mock);
    g_assert_cmpuint(tree_count(mock, "host_thread", "t) 100"), ==, 2);
    g_assert_cmpuint(tree_count(mock, "host_thread", "t) 200"), ==, 1);
    g_assert_cmpuint(tree_count(mock, "usage", "CPU 1"), ==, 2);
    free_mock(mock);
    tree_free(root);
}

/* One thread ends, one starts, and one gets the id of an ended thread. No row is the difference of
 * the values of two threads. */
static void test_threads_change(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    put_process(root, 3);
    put_thread(root, 100, 1000, 0, 0, 0, 0);
    put_thread(root, 200, 5000, 0, 0, 0, 0);
    /* this thread has no schedstat, like a thread that is about to end */
    put_thread(root, 300, G_MAXUINT64, 0, 7, 0, 0);
    StrobeMockHost *mock = load_plugin(root, "cpu");
    start_mock(mock);
    tree_remove(root, "%d/task/100");
    put_thread(root, 150, 9000, 0, 0, 0, 0);
    put_thread(root, 200, 10, 0, 0, 0, 0);
    set_uptime(root, 101.5);
    take_sample(mock);
    for (gsize i = 0; i < tree_count(mock, "host_thread", NULL); i++)
        g_assert_cmpint(strobe_mock_host_integer(tree_record(mock, "host_thread", NULL, i), "tid"),
                        ==, 300);
    const struct strobe_host_cpu *process = tree_record(mock, "host_cpu", NULL, 0)->fields;
    g_assert_true(isnan(process->wait));
    set_uptime(root, 102.5);
    put_thread(root, 150, 9000 + 250000000, 0, 0, 0, 0);
    take_sample(mock);
    const struct strobe_host_thread *row = tree_record(mock, "host_thread", "t) 150", 0)->fields;
    g_assert_true(is_near(row->usage, 25));
    free_mock(mock);
    tree_free(root);
}

/* If there are more threads than descriptors, threads are read in turn, and each row has its
 * interval. */
static void test_rotation(void)
{
    enum { N = 150 };
    char *root = tree_new();
    set_uptime(root, 100);
    put_process(root, N);
    for (int i = 0; i < N; i++)
        put_thread(root, 1000 + i, 0, 0, 0, 0, 0);
    StrobeMockHost *mock = load_plugin(root, "cpu");
    start_mock(mock);
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < N; i++) {
            g_autofree char *name = g_strdup_printf("%%d/task/%d/schedstat", 1000 + i);
            g_autofree char *text = g_strdup_printf("%d000000 0 1\n", 100 * round);
            tree_put(root, name, text);
        }
        set_uptime(root, 100 + round);
        take_sample(mock);
    }
    gsize rows[N] = {0}, n_long = 0;
    for (gsize i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        const struct strobe_host_thread *row = record->fields;
        if (record->kind != tree_record(mock, "host_thread", NULL, 0)->kind)
            continue;
        g_assert_true(is_near(row->usage, 10)); /* whatever the interval */
        rows[row->tid - 1000]++;
        n_long += row->interval > 1000000000;
    }
    gsize n_found = 0;
    for (int i = 0; i < N; i++) {
        g_assert_cmpuint(rows[i], >=, 2);
        n_found += rows[i] < 20;
    }
    g_assert_cmpuint(n_found, ==, N - 72);
    g_assert_cmpuint(n_long, >, N - 72);
    free_mock(mock);
    tree_free(root);
}

static void test_cores(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    put_process(root, 1);
    tree_put(root, "stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 50 0 50 400 0 0 0 0\nintr 1 2\n");
    StrobeMockHost *mock = load_plugin(root, "cpu");
    start_mock(mock);
    set_uptime(root, 101);
    tree_put(root, "stat",
             "cpu  120 10 130 815 5 5 5 10 0 0\ncpu0 60 5 60 470 5 0 0 0\n"
             "cpu7 1 1 1 1 0 0 0 0\nintr 1 2\n");
    take_sample(mock);
    const struct strobe_host_core *all = tree_record(mock, "host_core", "All", 0)->fields;
    g_assert_true(is_near(all->user, 30) && is_near(all->system, 30) && is_near(all->iowait, 5));
    g_assert_true(is_near(all->irq, 10) && is_near(all->steal, 10) && is_near(all->usage, 80));
    g_assert_cmpuint(all->processor, ==, STROBE_ABSENT_U32);
    const struct strobe_host_core *one = tree_record(mock, "host_core", "CPU 0", 0)->fields;
    g_assert_true(is_near(one->usage, 25));
    /* this processor is new since the last sample */
    g_assert_null(tree_record(mock, "host_core", "CPU 7", 0));
    set_uptime(root, 102);
    tree_put(root, "stat", "cpu  1 0 0 0 0 0 0 0 0 0\ncpu0 60 5 60 480 5 0 0 0\n");
    take_sample(mock);
    g_assert_cmpuint(tree_count(mock, "host_core", "All"), ==, 1); /* the counters were reset */
    one = tree_record(mock, "host_core", "CPU 0", 1)->fields;
    g_assert_true(is_near(one->usage, 0));
    free_mock(mock);
    tree_free(root);
}

static void put_io(const char *root, int read, int written, int cut)
{
    g_autofree char *text = g_strdup_printf(
        "rchar: %d\nwchar: %d\nsyscr: %d\nsyscw: %d\nread_bytes: %d\nwrite_bytes: %d\n"
        "cancelled_write_bytes: %d\n",
        read * 2, written * 2, read / 100, written / 100, read, written, cut);
    tree_put(root, "%d/io", text);
}

static void test_disk(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    put_io(root, 1000, 5000, 0);
    tree_put(root, "block/sda/size", "1\n");
    tree_put(root, "diskstats",
             "   8 0 sda 10 0 100 1 20 0 200 2 0 300 500 0 0 0 0\n"
             "   8 1 sda1 10 0 100 1 20 0 200 2 0 300 500 0 0 0 0\n");
    StrobeMockHost *mock = load_plugin(root, "disk");
    start_mock(mock);
    set_uptime(root, 102);
    put_io(root, 3000, 9000, 1000);
    tree_put(root, "diskstats",
             "   8 0 sda 14 0 180 1 30 0 600 2 0 800 1500 0 0 0 0\n"
             "   8 1 sda1 14 0 180 1 30 0 600 2 0 800 1500 0 0 0 0\n");
    take_sample(mock);
    const struct strobe_host_disk *own = tree_record(mock, "host_disk", "Process", 0)->fields;
    g_assert_cmpuint(own->read_bytes, ==, 2000);
    g_assert_cmpuint(own->write_bytes, ==, 3000);
    g_assert_true(is_near(own->read_rate, 1000) && is_near(own->write_rate, 1500));
    g_assert_cmpuint(own->reads, ==, 20);
    g_assert_cmpuint(own->writes, ==, 40);
    g_assert_cmpuint(own->read_chars, ==, 4000);
    g_assert_true(isnan(own->utilisation)); /* the kernel does not count delays */
    const struct strobe_host_disk *sda = tree_record(mock, "host_disk", "sda", 0)->fields;
    g_assert_cmpuint(sda->read_bytes, ==, 80 * 512);
    g_assert_cmpuint(sda->writes, ==, 10);
    g_assert_true(is_near(sda->utilisation, 25) && is_near(sda->queue, 0.5));
    g_assert_cmpuint(sda->read_chars, ==, STROBE_ABSENT_U64);
    g_assert_null(tree_record(mock, "host_disk", "sda1", 0));
    const struct strobe_usage *usage = tree_record(mock, "usage", "Disk", 0)->fields;
    g_assert_true(isnan(usage->usage) && is_near(usage->read_rate, 1000));
    set_uptime(root, 103);
    /* the counters have become smaller, because this id now belongs to another process */
    put_io(root, 10, 10, 0);
    tree_put(root, "diskstats", "   8 0 sda 1 0 1 1 1 0 1 1 0 1 1 0 0 0 0\n");
    take_sample(mock);
    g_assert_cmpuint(tree_count(mock, "host_disk", "sda"), ==, 1);
    own = tree_record(mock, "host_disk", "Process", 1)->fields;
    g_assert_cmpuint(own->read_bytes, ==, 0);
    free_mock(mock);
    tree_free(root);
}

static void put_net(const char *root, const char *lines)
{
    g_autofree char *text =
        g_strdup_printf("Inter-| Receive | Transmit\n face |bytes packets|bytes\n%s", lines);
    tree_put(root, "net/dev", text);
}

static void test_network(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    tree_put(root, "class/net/eth0/speed", "1000\n");
    tree_put(root, "class/net/veth1/speed", "-1\n");
    put_net(root, "    lo: 5 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n"
                  "  eth0: 1000 10 1 2 0 0 0 0 2000 20 3 4 0 0 0 0\n"
                  " veth1: 100 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    StrobeMockHost *mock = load_plugin(root, "network");
    start_mock(mock);
    set_uptime(root, 102);
    put_net(root, "    lo: 9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n"
                  "  eth0:2501000 30 2 4 0 0 0 0 1002000 25 5 7 0 0 0 0\n"
                  " veth1: 50 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
                  "  eth9: 7 7 0 0 0 0 0 0 7 7 0 0 0 0 0 0\n");
    take_sample(mock);
    const struct strobe_host_net *eth0 = tree_record(mock, "host_net", "eth0", 0)->fields;
    g_assert_cmpuint(eth0->rx_bytes, ==, 2500000);
    g_assert_cmpuint(eth0->tx_packets, ==, 5);
    g_assert_cmpuint(eth0->rx_dropped, ==, 2);
    g_assert_cmpuint(eth0->tx_errors, ==, 2);
    g_assert_true(is_near(eth0->rx_rate, 1250000) && is_near(eth0->tx_rate, 500000));
    g_assert_true(is_near(eth0->speed, 125e6) && is_near(eth0->usage, 1.4));
    g_assert_null(tree_record(mock, "host_net", "lo", 0));
    /* the counter of 32 bits has overflowed or was reset */
    g_assert_null(tree_record(mock, "host_net", "veth1", 0));
    /* this interface is new since the last sample */
    g_assert_null(tree_record(mock, "host_net", "eth9", 0));
    const struct strobe_usage *usage = tree_record(mock, "usage", "Network", 0)->fields;
    g_assert_true(is_near(usage->usage, 1.4) && is_near(usage->speed, 1750000));
    set_uptime(root, 103);
    put_net(root, "  eth9: 17 7 0 0 0 0 0 0 7 7 0 0 0 0 0 0\n"); /* eth0 was removed */
    take_sample(mock);
    set_uptime(root, 104); /* eth0 was added again */
    put_net(root, "  eth0:9000000 90 2 4 0 0 0 0 9002000 95 5 7 0 0 0 0\n");
    take_sample(mock);
    g_assert_cmpuint(tree_count(mock, "host_net", "eth0"), ==, 1);
    g_assert_cmpuint(tree_count(mock, "host_net", "eth9"), ==, 1);
    usage = tree_record(mock, "usage", "Network", 1)->fields;
    /* the speed of no interface is known */
    g_assert_true(isnan(usage->usage) && is_near(usage->speed, 10));
    free_mock(mock);
    tree_free(root);
}

static void test_pressure(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    tree_put(root, "pressure/cpu", "some avg10=0.04 avg60=4.32 avg300=9.47 total=1000000\n");
    tree_put(root, "pressure/io",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
             "full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
    StrobeMockHost *mock = load_plugin(root, "pressure");
    start_mock(mock);
    set_uptime(root, 102);
    tree_put(root, "pressure/cpu", "some avg10=0.04 avg60=4.32 avg300=9.47 total=1500000\n");
    tree_put(root, "pressure/io",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=200005\n"
             "full avg10=0.00 avg60=0.00 avg300=0.00 total=100005\n");
    take_sample(mock);
    const struct strobe_host_pressure *cpu = tree_record(mock, "host_pressure", "cpu", 0)->fields;
    const struct strobe_host_pressure *io = tree_record(mock, "host_pressure", "io", 0)->fields;
    g_assert_true(is_near(cpu->some, 25) && isnan(cpu->full));
    g_assert_true(is_near(io->some, 10) && is_near(io->full, 5));
    g_assert_null(tree_record(mock, "host_pressure", "memory", 0));
    free_mock(mock);
    tree_free(root);
}

static void test_cgroup_2(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    tree_put(root, "%d/cgroup", "0::/job/part\n");
    tree_put(root, "meminfo", "MemTotal: 4000 kB\n");
    tree_put(root, "%d/statm", "10 2 1 1 0 5 0\n");
    tree_put(root, "fs/cgroup/job/part/memory.current", "123456\n");
    tree_put(root, "fs/cgroup/job/part/memory.max", "max\n");
    tree_put(root, "fs/cgroup/job/memory.max", "900000\n");
    tree_put(root, "fs/cgroup/job/cpu.max", "150000 100000\n");
    tree_put(root, "fs/cgroup/job/part/cpu.max", "max 100000\n");
    tree_put(root, "fs/cgroup/job/part/cpu.stat",
             "usage_usec 1\nnr_periods 10\nnr_throttled 3\nthrottled_usec 5000\n");
    StrobeMockHost *mock = load_plugin(root, "mem+throttle");
    start_mock(mock);
    set_uptime(root, 101);
    tree_put(root, "fs/cgroup/job/part/cpu.stat",
             "usage_usec 1\nnr_periods 20\nnr_throttled 5\nthrottled_usec 255000\n");
    take_sample(mock);
    const struct strobe_host_mem *mem = tree_record(mock, "host_mem", NULL, 0)->fields;
    g_assert_cmpuint(mem->cgroup_usage, ==, 123456);
    g_assert_cmpuint(mem->cgroup_limit, ==, 900000); /* the limit of the parent group */
    const StrobeMockRecord *record = tree_record(mock, "host_throttle", NULL, 0);
    const struct strobe_host_throttle *throttle = record->fields;
    g_assert_cmpstr(record->name, ==, "/job/part");
    g_assert_true(is_near(throttle->throttled, 25) && is_near(throttle->limit, 1.5));
    g_assert_cmpuint(throttle->throttled_time, ==, 250000000);
    g_assert_cmpuint(throttle->periods, ==, 10);
    g_assert_cmpuint(throttle->throttled_periods, ==, 2);
    free_mock(mock);
    tree_free(root);
}

static void test_cgroup_1(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    /* in a container the group's name is that on the host, but only the tree's root is visible */
    tree_put(root, "%d/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n0::/\n");
    tree_put(root, "meminfo", "MemTotal: 4000 kB\n");
    tree_put(root, "%d/statm", "10 2 1 1 0 5 0\n");
    tree_put(root, "fs/cgroup/memory/memory.usage_in_bytes", "777\n");
    tree_put(root, "fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree_put(root, "fs/cgroup/cpu/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 100\n");
    tree_put(root, "fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    tree_put(root, "fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    StrobeMockHost *mock = load_plugin(root, "mem+throttle");
    start_mock(mock);
    set_uptime(root, 101);
    tree_put(root, "fs/cgroup/cpu/cpu.stat",
             "nr_periods 3\nnr_throttled 2\nthrottled_time 100000100\n");
    take_sample(mock);
    const struct strobe_host_mem *mem = tree_record(mock, "host_mem", NULL, 0)->fields;
    g_assert_cmpuint(mem->cgroup_usage, ==, 777);
    g_assert_cmpuint(mem->cgroup_limit, ==, STROBE_ABSENT_U64);
    const struct strobe_host_throttle *throttle =
        tree_record(mock, "host_throttle", NULL, 0)->fields;
    g_assert_true(is_near(throttle->throttled, 10) && is_near(throttle->limit, 0.5));
    free_mock(mock);
    tree_free(root);
}

/* The plugin must not open a FIFO, because this would wait for a writer. A missing file disables
 * only its own item. */
static void test_unreadable(void)
{
    char *root = tree_new();
    set_uptime(root, 100);
    put_net(root, " eth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
    tree_put_fifo(root, "%d/stat");
    tree_put_fifo(root, "%d/io");
    tree_put_fifo(root, "diskstats");
    tree_put_fifo(root, "pressure/cpu");
    tree_put_fifo(root, "class/net/eth0/speed");
    StrobeMockHost *mock = load_plugin(root, "cpu+mem+disk+network+pressure+throttle");
    gint64 before = g_get_monotonic_time();
    start_mock(mock);
    set_uptime(root, 101);
    put_net(root, " eth0: 5 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
    take_sample(mock);
    g_assert_cmpint(g_get_monotonic_time() - before, <, 5000000);
    const struct strobe_host_net *eth0 = tree_record(mock, "host_net", "eth0", 0)->fields;
    g_assert_cmpuint(eth0->rx_bytes, ==, 4);
    g_assert_true(isnan(eth0->speed));
    g_assert_cmpuint(tree_count(mock, "host_cpu", NULL) + tree_count(mock, "host_disk", NULL) +
                         tree_count(mock, "host_pressure", NULL),
                     ==, 0);
    const char *messages = strobe_mock_host_messages(mock);
    static const char *const missing[] = {"item=\"cpu\"", "item=\"mem\"", "item=\"disk\"",
                                          "item=\"pressure\"", "item=\"throttle\""};
    for (gsize i = 0; i < G_N_ELEMENTS(missing); i++)
        g_assert_nonnull(strstr(messages, missing[i]));
    free_mock(mock);
    tree_free(root);
}

/* Each file is replaced by random texts: host_sys does not crash, and its values stay plausible. */
static void test_damaged(void)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"%d/stat", "1 (p) S 1 2 3 0 -1 4 5 6 7 8 50 10 9 9 20 0 2 0 100 1 2\n"},
        {"%d/task/100/stat",
         "1 (t) S 1 2 3 0 -1 4 5 6 7 8 1 2 9 9 20 0 2 0 100 1 2 3 4 5 6 7 8 9\n"},
        {"%d/task/100/schedstat", "1000 2000 3\n"},
        {"%d/statm", "10 2 1 1 0 5 0\n"},
        {"%d/status", "VmSwap:\t 12 kB\n"},
        {"%d/io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
                  "cancelled_write_bytes: 7\n"},
        {"stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 50 0 50 400 0 0 0 0\nintr 1 2\n"},
        {"meminfo", "MemTotal: 4000 kB\nMemAvailable: 5 kB\n"},
        {"diskstats", "   8 0 sda 10 0 100 1 20 0 200 2 0 300 500 0 0 0 0\n"},
        {"net/dev", "a|b\nc|d\n eth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n"},
        {"pressure/cpu", "some avg10=0.04 avg60=4.32 avg300=9.47 total=1000000\n"},
        {"fs/cgroup/cpu.stat", "nr_periods 10\nnr_throttled 3\nthrottled_usec 5000\n"},
        {"fs/cgroup/memory.current", "5\n"},
    };
    static const char letters[] = "0123456789 \n\t:()=-x\xff";
    char *root = tree_new();
    set_uptime(root, 100);
    tree_put(root, "%d/cgroup", "0::/\n");
    tree_put(root, "block/sda/size", "1\n");
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
        tree_put(root, files[i].name, files[i].text);
    StrobeMockHost *mock = load_plugin(root, "cpu+mem+disk+network+pressure+throttle");
    start_mock(mock);
    g_autoptr(GRand) rand = g_rand_new_with_seed(9);
    for (int round = 1; round <= 2000; round++) {
        gsize which = (gsize)g_rand_int_range(rand, 0, G_N_ELEMENTS(files));
        g_autofree char *text = g_strdup(files[which].text);
        gsize length = strlen(text);
        for (int n = g_rand_int_range(rand, 0, 6); n > 0; n--)
            text[g_rand_int_range(rand, 0, (gint32)length)] =
                letters[g_rand_int_range(rand, 0, sizeof letters - 1)];
        text[g_rand_int_range(rand, 0, (gint32)length + 1)] = '\0';
        tree_put(root, files[which].name, text);
        set_uptime(root, 100 + round);
        g_usleep(500); /* half of the interval; a sample after a shorter time would be too early */
        strobe_mock_host_sample(mock);
        tree_put(root, files[which].name, files[which].text);
    }
    for (gsize i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        if (!strcmp(record->kind->name, "host_core"))
            g_assert_cmpfloat(strobe_mock_host_double(record, "usage"), <=, 100.0001);
        if (!strcmp(record->kind->name, "host_disk") && strcmp(record->name, "Process") != 0)
            g_assert_cmpfloat(strobe_mock_host_double(record, "utilisation"), <=, 100);
    }
    g_assert_cmpuint(tree_count(mock, "host_net", "eth0"), >, 10);
    free_mock(mock);
    tree_free(root);
}

/* ---- the live system ---- */

static guint64 thread_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (guint64)time.tv_sec * 1000000000u + (guint64)time.tv_nsec;
}

static void spin_thread(guint64 ns)
{
    for (guint64 from = thread_ns(); thread_ns() - from < ns;)
        continue;
}

/* The sum of the rows of the spinning thread is the CPU time in the thread's own clock. */
static void test_spinner(void)
{
    StrobeMockHost *mock = load_plugin(NULL, "cpu");
    g_assert_cmpint(strobe_mock_host_option(mock, "interval", "50ms"), ==, 0);
    guint64 before = thread_ns(), total = 0;
    struct rusage own_before, own_after;
    getrusage(RUSAGE_SELF, &own_before);
    start_mock(mock);
    for (int i = 0; i < 5; i++) {
        spin_thread(60000000);
        strobe_mock_host_sample(mock);
    }
    strobe_mock_host_stop(mock);
    guint64 used = thread_ns() - before;
    getrusage(RUSAGE_SELF, &own_after);
    for (gsize i = 0; i < tree_count(mock, "host_thread", NULL); i++) {
        const struct strobe_host_thread *row = tree_record(mock, "host_thread", NULL, i)->fields;
        if (row->tid == (guint64)getpid())
            total += (guint64)(row->usage / 100 * (double)row->interval);
    }
    /* the rows cover a little less than the time between the two readings of the test */
    g_assert_cmpuint(total, >, used - used / 10);
    g_assert_cmpuint(total, <=, used);
    free_mock(mock);
}

static void test_writer(void)
{
    char block[65536] = {1};
    StrobeMockHost *mock = load_plugin(NULL, "disk");
    start_mock(mock);
    if (strstr(strobe_mock_host_messages(mock), "io")) {
        g_test_skip("/proc/self/io cannot be read here");
        free_mock(mock);
        return;
    }
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "strobe-writer-XXXXXX", NULL);
    int file = g_mkstemp(path);
    g_assert_cmpint(file, >=, 0);
    for (int i = 0; i < 16; i++)
        g_assert_cmpint(write(file, block, sizeof block), ==, sizeof block);
    take_sample(mock);
    close(file);
    unlink(path);
    const struct strobe_host_disk *row = tree_record(mock, "host_disk", "Process", 0)->fields;
    g_assert_cmpuint(row->write_chars, ==, 16 * sizeof block);
    g_assert_cmpuint(row->writes, ==, 16);
    free_mock(mock);
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_the_end(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return NULL;
}

static gsize count_descriptors(void)
{
    g_autoptr(GDir) folder = g_dir_open("/proc/self/fd", 0, NULL);
    gsize n = 0;
    while (g_dir_read_name(folder))
        n++;
    return n;
}

/* With a thousand threads the number of descriptors is limited, and each thread is read in turn. */
static void test_thousand_threads(void)
{
    enum { N = 1000 };
    static pthread_t threads[N];
    pthread_attr_t attributes;
    gsize before = count_descriptors();
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_mutex_lock(&held);
    for (int i = 0; i < N; i++)
        g_assert_cmpint(pthread_create(&threads[i], &attributes, wait_for_the_end, NULL), ==, 0);
    StrobeMockHost *mock = load_plugin(NULL, "cpu+mem+disk+network+pressure+throttle");
    start_mock(mock);
    for (int i = 0; i < 130; i++) /* each thread is read twice */
        take_sample(mock);
    g_assert_cmpuint(count_descriptors() - before, <=, 96);
    g_assert_cmpuint(tree_count(mock, "host_thread", NULL), >=, N);
    const struct strobe_host_cpu *process = tree_record(mock, "host_cpu", NULL, 0)->fields;
    g_assert_cmpuint(process->threads, >, N);
    pthread_mutex_unlock(&held);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 5; i++)
        take_sample(mock);
    free_mock(mock);
    g_assert_cmpuint(count_descriptors(), ==, before);
    pthread_attr_destroy(&attributes);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    const char *plugins = g_getenv("STROBE_TEST_PLUGINS");
    plugin_path = g_build_filename(plugins ? plugins : ".", "host_sys.so", NULL);
    g_test_add_func("/host_items/threads", test_threads);
    g_test_add_func("/host_items/threads-change", test_threads_change);
    g_test_add_func("/host_items/rotation", test_rotation);
    g_test_add_func("/host_items/cores", test_cores);
    g_test_add_func("/host_items/disk", test_disk);
    g_test_add_func("/host_items/network", test_network);
    g_test_add_func("/host_items/pressure", test_pressure);
    g_test_add_func("/host_items/cgroup-2", test_cgroup_2);
    g_test_add_func("/host_items/cgroup-1", test_cgroup_1);
    g_test_add_func("/host_items/unreadable", test_unreadable);
    g_test_add_func("/host_items/damaged", test_damaged);
    g_test_add_func("/host_items/spinner", test_spinner);
    g_test_add_func("/host_items/writer", test_writer);
    g_test_add_func("/host_items/thousand-threads", test_thousand_threads);
    int status = g_test_run();
    g_free(plugin_path);
    return status;
}
