/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a record of a counter becomes all the events and arguments that readers know. */
#include <math.h>
#include <string.h>

#include "test-chrome-trace-fixture.h"

static StrobeTrackId make_track(Fixture *f, int generation, const char *layer)
{
    strobe_mock_metadata(f->mock)->generation = generation;
    strobe_mock_metadata_entry(f->mock, "source", "{}");
    strobe_mock_metadata_entry(f->mock, "device", "1");
    return strobe_mock_track(f->mock, STROBE_TRACK_COUNTER, 0, NULL, layer, 1);
}

static void add_record(Fixture *f, const StrobeKind *kind, StrobeTrackId track, const char *name,
                       gint64 time, const void *fields)
{
    strobe_mock_add(f->mock, kind, track, name ? string(f, name) : 0, T0 + time, T0 + time, fields);
}

static guint count_occurrences(const char *text, const char *what)
{
    guint n = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

/* pid: 4711 << 10 | 19 << 5 | 1, in the newest generation 17 */
static void test_memory(Fixture *f, gconstpointer generation)
{
    StrobeTrackId track = make_track(f, GPOINTER_TO_INT(generation), "NPU MEM");
    struct strobe_memory_usage usage = {1024, 2160232 * 1024LL, 1};

    add_record(f, &strobe_kind_memory_usage, track, "app", 0, &usage);
    usage.ddr = STROBE_ABSENT_I64; /* so the sum is unknown */
    add_record(f, &strobe_kind_memory_usage, track, "device", 10, &usage);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "\"C\""), ==, 4);
    assert_has(text, "\"Device/HBM\"");
    if (GPOINTER_TO_INT(generation) == 3) {
        assert_has(text, "{\"name\": \"APP/Memory\", \"pid\": 4824609, \"tid\": 0, \"ts\": "
                         "\"1736412474000000.000\", \"ph\": \"C\", \"args\": {\"KB\": 2160233.0}}");
        return;
    }
    assert_has(text, "{\"name\": \"APP/DDR\", \"ts\": \"1736412474000000.000\", \"pid\": 4824673, "
                     "\"tid\": 0, \"args\": {\"KB\": 1.0}, \"ph\": \"C\"}");
    assert_has_not(text, "\"thread_name\"");
}

/* The memory is that of the framework's allocator, on the host and on a device. */
static void test_framework_memory(Fixture *f, gconstpointer unused)
{
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_COUNTER, 0, NULL, "", -1);
    struct strobe_memory_event event = {
        .total_allocated = 3 << 20, .total_reserved = STROBE_ABSENT_I64, .device = -1};

    add_record(f, &strobe_kind_memory_event, track, NULL, 0, &event);
    event.device = 2;
    event.total_reserved = 4 << 20;
    add_record(f, &strobe_kind_memory_event, track, NULL, 10, &event);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "\"C\""), ==, 2);
    assert_has(text, "\"Memory Usage\"");
    assert_has(text, "{\"name\": \"PyTorch Memory\"");
    assert_has(text, "\"args\": {\"Allocated(MB)\": 3.0}}");
    assert_has(text, "{\"name\": \"PyTorch Memory NPU 2\"");
    assert_has(text, "\"args\": {\"Allocated(MB)\": 3.0, \"Reserved(MB)\": 4.0}}");
}

/* A port has two events with four arguments each, a link has events with two arguments. */
static void test_links(Fixture *f, gconstpointer unused)
{
    StrobeTrackId nic = make_track(f, 3, "NIC"), pcie = make_track(f, 3, "PCIe"),
                  sio = make_track(f, 3, "SIO");
    struct strobe_port port = {.port = 0,
                               .rx_dropped_rate = 0.5,
                               .rx_error_rate = 0,
                               .rx_packets = 12,
                               .rx_efficiency = 99.5,
                               .tx_dropped_rate = NAN};
    struct strobe_pcie link = {.tx_cpl_avg = 1048576,
                               .rx_cpl_avg = 524288,
                               .tx_nonpost_latency_avg = 1500,
                               .tx_post_avg = NAN,
                               .tx_nonpost_avg = NAN};
    struct strobe_sio pair = {.rx_req = 2097152, .tx_dat = 0.0};

    add_record(f, &strobe_kind_nic, nic, NULL, 0, &port);
    add_record(f, &strobe_kind_pcie, pcie, NULL, 0, &link);
    add_record(f, &strobe_kind_sio, sio, "die0->die1", 0, &pair);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"Port 0/Rx\", ");
    assert_has(text, "\"args\": {\"Rx Dropped Rate\": 0.5, \"Rx Error Rate\": 0.0, \"Rx Packets\": "
                     "12, \"Rx Bandwidth Efficiency\": 99.5}}");
    assert_has_not(text, "Port 0/Tx"); /* its first argument is absent, so it is not written */
    assert_has(text, "\"PCIe_cpl\", ");
    assert_has(text, "\"args\": {\"Tx\": 1.0, \"Rx\": 0.5}}");
    assert_has(text, "\"PCIe_nonpost_latency\", ");
    assert_has(text, "\"args\": {\"Tx\": 1.5, \"Rx\": 0}}");
    assert_has_not(text, "\"PCIe_post\"");
    assert_has(text, "{\"name\": \"req_rx\", ");
    assert_has(text, "\"args\": {\"die0->die1\": 2.0}}");
}

/* The traffic of memories is in MB/s; the levels of the chip are not converted. */
static void test_memories(Fixture *f, gconstpointer unused)
{
    StrobeTrackId hbm = make_track(f, 3, "HBM"), ddr = make_track(f, 3, "DDR"),
                  chip = make_track(f, 3, "Stars Soc Info");
    struct strobe_hbm stack = {.bandwidth = 1572864, .id = 2, .device = 1};
    struct strobe_ddr memory = {.read = 1048576, .write = 0, .device = 1};
    struct strobe_soc_bandwidth levels = {.l2_buffer = 3, .mata = 0, .device = 1};

    add_record(f, &strobe_kind_hbm, hbm, "read", 0, &stack);
    add_record(f, &strobe_kind_hbm, hbm, "write", 10, &stack);
    add_record(f, &strobe_kind_ddr, ddr, NULL, 0, &memory);
    add_record(f, &strobe_kind_soc_bandwidth, chip, NULL, 0, &levels);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "\"C\""), ==, 6);
    assert_has(text, "{\"name\": \"HBM 2/Read\", ");
    assert_has(text, "\"args\": {\"Read(MB/s)\": 1.5}}");
    assert_has(text, "{\"name\": \"HBM 2/Write\", ");
    assert_has(text, "\"args\": {\"Write(MB/s)\": 1.5}}");
    assert_has(text, "{\"name\": \"DDR/Read\", ");
    assert_has(text, "\"args\": {\"Read(MB/s)\": 1.0}}");
    assert_has(text, "{\"name\": \"DDR/Write\", ");
    assert_has(text, "\"args\": {\"Write(MB/s)\": 0.0}}");
    assert_has(text, "\"args\": {\"L2 Buffer Bw Level\": 3}}");
    assert_has(text, "\"args\": {\"Mata Bw Level\": 0}}");
}

static void add_units(Fixture *f, int generation)
{
    StrobeTrackId track = make_track(f, generation, "Acc PMU");
    struct strobe_acc_pmu first = {3, 1, 0, 2, 10, 1}, second = {1, 4, 0, 2, 11, 1};

    add_record(f, &strobe_kind_acc_pmu, track, NULL, 0, &first);
    add_record(f, &strobe_kind_acc_pmu, track, NULL, 0, &second);
    add_record(f, &strobe_kind_acc_pmu, track, NULL, 100, &second);
}

/* Older files have each unit; newer files have the maximum of all units at each time. */
static void test_units(Fixture *f, gconstpointer unused)
{
    static const char *const order[] = {"\"read_bandwidth\"", "\"write_band_width\"",
                                        "\"read_ost\"", "\"write_ost\"", NULL};

    add_units(f, 1);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "\"C\""), ==, 12);
    assert_order(text, order);
    assert_has(text, "\"args\": {\"value\": 3, \"acc_id\": 10}, \"ph\": \"C\"}");
}

static void test_units_folded(Fixture *f, gconstpointer unused)
{
    static const char *const order[] = {"\"read_bandwidth\"",  "{\"value\": 3}", "\"read_ost\"",
                                        "\"write_bandwidth\"", "{\"value\": 4}", "\"write_ost\"",
                                        "{\"value\": 2}",      "{\"value\": 1}", NULL};

    add_units(f, 3);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "\"C\""), ==, 8);
    assert_order(text, order);
    assert_has_not(text, "acc_id");
}

/* In older files the last sample of the clock has no decimals. */
static void test_clock(Fixture *f, gconstpointer unused)
{
    StrobeTrackId track = make_track(f, 1, "AI Core Freq");
    struct strobe_core_frequency clock = {1800, -1, 1};

    add_record(f, &strobe_kind_core_frequency, track, NULL, 920, &clock);
    add_record(f, &strobe_kind_core_frequency, track, NULL, 5000, &clock);
    g_autofree char *text = run(f);

    assert_has(text, "{\"name\": \"AI Core Freq\", \"ts\": \"1736412474000000.920\", \"pid\": "
                     "4824513, \"tid\": 0, \"args\": {\"MHz\": 1800}, \"ph\": \"C\"}");
    assert_has(text, "\"ts\": \"1736412474000005\", ");
}

/* Dies are distinguished by name or by an argument. */
static void test_dies(Fixture *f, gconstpointer unused)
{
    StrobeTrackId clocks = make_track(f, 3, "AI Core Freq"), qos = make_track(f, 3, "QoS");
    struct strobe_core_frequency clock = {1800, 1, 1};
    struct strobe_qos traffic = {125 * 1048576.0, 1, 1};

    add_record(f, &strobe_kind_core_frequency, clocks, NULL, 0, &clock);
    add_record(f, &strobe_kind_qos, qos, "OTHERS", 0, &traffic);
    traffic.die = -1;
    add_record(f, &strobe_kind_qos, qos, "OTHERS", 10, &traffic);
    g_autofree char *text = run(f);

    g_assert_cmpuint(count_occurrences(text, "\"C\""), ==, 3);
    assert_has(text, "{\"name\": \"AI Core Freq Die 1\", ");
    assert_has(text, "{\"name\": \"QoS OTHERS\", ");
    assert_has(text, "{\"die 1\": 125}");
    assert_has(text, "{\"value\": 125}");
}

/* A share that was read is written with the same digits, although as a percentage it is not an
 * exact double. */
static void test_rates(Fixture *f, gconstpointer unused)
{
    StrobeTrackId track = make_track(f, 1, "LLC");
    struct strobe_llc cache = {0, 1048576, 1, 1};

    for (guint i = 0; i < 1000; i++) {
        cache.hit_rate = i / 1000.0 * 100;
        add_record(f, &strobe_kind_llc, track, "read", i, &cache);
    }
    g_autofree char *text = run(f);
    const char *at = text;

    assert_has(text, "{\"name\": \"LLC 1 Read/Throughput\", ");
    for (guint i = 0; i < 1000; i++) {
        char number[64];

        at = strstr(at, "{\"Hit Rate(%)\": ");
        g_assert_nonnull(at);
        g_snprintf(number, sizeof number, "{\"Hit Rate(%%)\": %.*f}",
                   i % 10    ? 3
                   : i % 100 ? 2
                             : 1,
                   i / 1000.0);
        if (strncmp(at, number, strlen(number)) != 0)
            g_error("%.40s is not %s", at, number);
        at++;
    }
}

/* The counters come from collectors of a recording, which name no layer of the file. */
static void test_own_track(Fixture *f, gconstpointer unused)
{
    struct strobe_hccs link = {1048576, 2097152, 0};

    add_record(f, &strobe_kind_hccs, f->thread, NULL, 0, &link);
    g_autofree char *text = run(f);

    /* 4711 << 10 | 20 << 5 | 0 */
    assert_has(text, "{\"name\": \"Tx\", \"pid\": 4824704, \"tid\": 0, ");
    assert_has(text, "\"args\": {\"labels\": \"NPU 0\"}}");
}

static const StrobeField source_fields[] = {{"phase", STROBE_FIELD_STRING, 0, "", ""},
                                            {"category", STROBE_FIELD_STRING, 0, "", ""}};
static const StrobeKind source_event = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "ascend_text.event", "", source_fields, 2, 0};

static void add_usage(Fixture *f, double usage)
{
    const struct strobe_host_thread thread = {
        .usage = usage, .user = NAN, .system = NAN, .wait = NAN, .tid = 7};

    strobe_mock_add(f->mock, &strobe_kind_host_thread, f->thread, 0, T0, T0, &thread);
}

static void add_source_event(Fixture *f, StrobeTrackId track, const char *name)
{
    const struct {
        StrobeStringId phase, category;
    } event = {string(f, "i"), 0};

    strobe_mock_add(f->mock, &source_event, track, string(f, name), T0, T0, &event);
}

/* Counters are composed at once, while other events of their layer wait. The text is much longer
 * than the part that stays in memory. */
static void test_order_in_a_layer(Fixture *f, gconstpointer unused)
{
    static const char *const order[] = {"\"first\"",  "{\"Usage(%)\": 1.5}", "\"second\"",
                                        "\"third\"",  "{\"Usage(%)\": 2.5}", "{\"Usage(%)\": 3.5}",
                                        "\"fourth\"", "{\"Usage(%)\": 4.5}", NULL};
    const StrobeTrackId track =
        strobe_mock_track(f->mock, STROBE_TRACK_COUNTER, 0, NULL, "CPU Usage", -1);

    (void)unused;
    strobe_mock_table(f->mock)->storage(f->mock)->sorter_bytes = 0;
    strobe_mock_metadata_entry(f->mock, "source", "{\"importer\": \"ascend_text\"}");
    add_source_event(f, track, "first");
    add_usage(f, 1.5);
    for (guint i = 0; i < 2000; i++)
        add_usage(f, 100);
    add_source_event(f, track, "second");
    add_source_event(f, track, "third");
    add_usage(f, 2.5);
    for (guint i = 0; i < 2000; i++)
        add_source_event(f, track, "more");
    add_usage(f, 3.5);
    add_source_event(f, track, "fourth");
    add_usage(f, 4.5);
    g_autofree char *text = run(f);

    assert_order(text, order);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, data, function)                                                                  \
    g_test_add("/chrome-trace/counters/" path, Fixture, GINT_TO_POINTER(data), fixture_set_up,     \
               function, fixture_tear_down)
    ADD("memory/first", 1, test_memory);
    ADD("memory/third", 3, test_memory);
    ADD("memory/framework", 0, test_framework_memory);
    ADD("links", 0, test_links);
    ADD("memories", 0, test_memories);
    ADD("units/first", 0, test_units);
    ADD("units/third", 0, test_units_folded);
    ADD("clock", 0, test_clock);
    ADD("dies", 0, test_dies);
    ADD("rates", 0, test_rates);
    ADD("own-track", 0, test_own_track);
    ADD("order-in-a-layer", 0, test_order_in_a_layer);
    return g_test_run();
}
