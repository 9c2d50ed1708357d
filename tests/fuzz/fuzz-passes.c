/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are records of the kinds that a pass wants, with extreme values: the pass ends without
 * a fault, emits only its own kinds, and makes the same output from the same records.
 *
 * The first byte selects the pass, the second the generation, level and source in the capture's
 * metadata. Then follow records: one byte each for kind, track, name, begin and duration, and one
 * for each field. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/heap/heap-kinds.h"
#include "fuzz.h"
#include "mock-consumer-host.h"
#include "strobe/kinds.h"

const char fuzz_target[] = "passes";

#define PASS(name) extern const StrobePlugin strobe_plugin_##name;
PASSES
#undef PASS

#define PASS(name) &strobe_plugin_##name,
static const StrobePlugin *const plugins[] = {PASSES};
#undef PASS

#define RECORDS_MAX 2000

static const char *const texts[] = {
    "",
    "aten::mm",
    "npu::add",
    "ProfilerStep#5",
    "ProfilerStep#",
    "ProfilerStep#99999999999999999999",
    "autograd::engine::evaluate_function: AddBackward0",
    "empty_tensor",
    "HostToDevice",
    "AI_CORE",
    "MIX_AIC",
    "HCCL",
    "N/A",
    "PTA",
    "GE",
    "app",
    "node",
    "hcom_allReduce__586_0_1",
    "hcom_receive__1_2_3",
    "Notify_Wait",
    "Memcpy",
    "Reduce_Inline",
    "RDMASend",
    "SDMA",
    "RDMA",
    "HCCS_SW",
    "ON_CHIP",
    "RDMA_SEND_PAYLOAD",
    "aic_total_time;aic_mac_ratio;aiv_total_cycles",
    ";;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;",
    "1;2;\"3,4\"",
    "group@1",
    "npu_fx_compiler inference",
    "cache_compiler inference",
    "TorchNpuGraphBase::Run",
    "ExecuteGraph",
    "TorchDynamo Cache Lookup",
    "aten::copy_",
    "LoadGraph",
};

static const gint64 integers[] = {
    0,
    1,
    2,
    3,
    5,
    7,
    64,
    1000,
    1000000,
    -1,
    -2,
    G_MAXINT32,
    G_MININT32,
    G_MAXUINT32,
    G_MAXINT64,
    G_MAXINT64 - 1,
    STROBE_ABSENT_I64,
    G_MININT64 + 1,
    G_MAXINT64 / 2,
    4294967296,
};

static const double doubles[] = {
    0.0,  0.5,   1.0,   1.5,    -1.0,   2.2600625, 1e6,       1e15, 1e18,
    1e19, -1e19, 1e300, -1e300, 1e-300, INFINITY,  -INFINITY, NAN,
};

typedef struct Bytes {
    const guint8 *at, *end;
} Bytes;

static guint8 take_byte(Bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static void fill_field(StrobeMockHost *mock, guint8 byte, const StrobeField *field, char *at)
{
    gint64 integer = integers[byte % G_N_ELEMENTS(integers)];
    double number = doubles[byte % G_N_ELEMENTS(doubles)];
    const char *text = texts[byte % G_N_ELEMENTS(texts)];
    const char *const frames[] = {text, "outer", NULL};
    guint32 id = field->type == STROBE_FIELD_STACK ? strobe_mock_stack(mock, frames)
                                                   : strobe_mock_string(mock, text);

    switch (field->type) {
    case STROBE_FIELD_BOOL:
        *at = byte & 1;
        break;
    case STROBE_FIELD_F64:
        memcpy(at, &number, sizeof number);
        break;
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
        if (byte < 8)
            id = byte == 7 ? G_MAXUINT32 : 0; /* no text, or an unknown id */
        memcpy(at, &id, sizeof id);
        break;
    default: /* the low bytes of the number come first (little-endian) */
        memcpy(at, &integer, strobe_field_size(field->type));
    }
}

/* Returns the time for a byte. Times are mostly near each other, as in a run, but any time may
 * occur. */
static gint64 time_at(gint64 *now, guint8 byte)
{
    if (byte >= 250)
        return integers[byte % G_N_ELEMENTS(integers)];
    *now += byte < 16 ? -(gint64)byte : byte < 128 ? byte : byte * 1000;
    return *now;
}

/* Returns the kind with this name: a standard kind, or the kind heap.block of a plugin. NULL: it is
 * unknown here. */
static const StrobeKind *kind_named(const char *name)
{
    for (gsize i = 0; strobe_standard_kinds[i]; i++)
        if (!strcmp(strobe_standard_kinds[i]->name, name))
            return strobe_standard_kinds[i];
    return strcmp(name, heap_kind_block.name) ? NULL : &heap_kind_block;
}

/* Returns a kind that the pass wants, which the byte selects. If this is unknown here, returns the
 * first one. */
static const StrobeKind *kind_of(const StrobeComponent *component, guint8 byte)
{
    const StrobeKind *kind;
    guint n = 0;

    while (component->wants[n])
        n++;
    kind = kind_named(component->wants[byte % n]);
    kind = kind ? kind : kind_named(component->wants[0]);
    FUZZ_REQUIRE(kind);
    return kind;
}

static void add_record(StrobeMockHost *mock, const StrobeKind *kind, Bytes *bytes, gint64 *now)
{
    static char fields[STROBE_KIND_FIELDS_MAX * 8];
    guint8 track = take_byte(bytes) % 10, name = take_byte(bytes);
    gint64 begin = time_at(now, take_byte(bytes)), end = begin;
    guint8 length = take_byte(bytes);
    const char *text = texts[name % G_N_ELEMENTS(texts)];

    memset(fields, 0, sizeof fields);
    /* because the reader never returns an end before the begin */
    if (kind->shape == STROBE_SHAPE_SPAN)
        end = length >= 250                 ? G_MAXINT64
              : begin > G_MAXINT64 - 255000 ? begin
                                            : begin + length * 10;
    for (guint32 i = 0; i < kind->n_fields; i++)
        fill_field(mock, take_byte(bytes), &kind->fields[i], fields + strobe_kind_offset(kind, i));
    strobe_mock_add(mock, kind, track, name < 4 ? 0 : strobe_mock_string(mock, text), begin, end,
                    fields);
}

static void add_tracks(StrobeMockHost *mock)
{
    strobe_mock_track(mock, STROBE_TRACK_THREAD, 1, "", "", -1);
    strobe_mock_track(mock, STROBE_TRACK_THREAD, 2, "", "CANN", -1);
    strobe_mock_track(mock, STROBE_TRACK_THREAD, G_MAXUINT64, "", "", -1);
    strobe_mock_track(mock, STROBE_TRACK_STREAM, 2, "", "Ascend Hardware", 0);
    strobe_mock_track(mock, STROBE_TRACK_STREAM, 3, "", "Ascend Hardware", 7);
    strobe_mock_track(mock, STROBE_TRACK_PLANE, 1, "Plane 1", "Communication", 0);
    strobe_mock_track(mock, STROBE_TRACK_PLANE, 0, "Group g Communication", "Communication", 0);
    strobe_mock_track(mock, STROBE_TRACK_STEPS, 0, "", "", G_MININT32);
}

/* Whether the kind is derived. Records of raw kinds come before those of derived ones, as the host
 * passes them. */
static gboolean is_derived(const StrobeKind *kind)
{
    for (gsize p = 0; p < G_N_ELEMENTS(plugins); p++)
        for (guint i = 0; i < plugins[p]->components[0]->n_kinds; i++)
            if (plugins[p]->components[0]->kinds[i] == kind)
                return TRUE;
    return FALSE;
}

static void add_records(StrobeMockHost *mock, const StrobeComponent *component, Bytes bytes,
                        gboolean derived)
{
    gint64 now = 1736410576000000000;

    for (guint i = 0; i < RECORDS_MAX && bytes.at < bytes.end; i++) {
        const StrobeKind *kind = kind_of(component, take_byte(&bytes));

        if (is_derived(kind) == derived) {
            add_record(mock, kind, &bytes, &now);
        } else {
            for (guint32 k = 0; k < kind->n_fields + 4; k++)
                take_byte(&bytes);
        }
    }
}

static StrobeMockHost *run_component(const StrobeComponent *component, guint8 source, Bytes bytes)
{
    StrobeMockHost *mock = strobe_mock_new(component, -1);
    gboolean good;

    strobe_mock_metadata(mock)->generation = 1 + source % 3;
    strobe_mock_metadata(mock)->level = source % 4 - 1;
    if (source & 16)
        strobe_mock_metadata_entry(mock, "source",
                                   source & 32 ? "{\"importer\": \"ascend_db\"}"
                                               : "{\"importer\": \"x\"}");
    add_tracks(mock);
    FUZZ_REQUIRE(strobe_mock_open(mock) == STROBE_OK);
    add_records(mock, component, bytes, FALSE);
    good = strobe_mock_send(mock) == STROBE_OK && strobe_mock_raw_end(mock) == STROBE_OK;
    add_records(mock, component, bytes, TRUE);
    if (good && strobe_mock_send(mock) == STROBE_OK)
        strobe_mock_end(mock);
    strobe_mock_close(mock);
    return mock;
}

static gboolean is_own(const StrobeComponent *component, const StrobeKindView *kind, gsize *size)
{
    for (guint i = 0; i < component->n_kinds; i++)
        if (!strcmp(component->kinds[i]->name, kind->name)) {
            *size = strobe_kind_offset(component->kinds[i], component->kinds[i]->n_fields);
            return TRUE;
        }
    return FALSE;
}

/* Checks that two records have the same fields. Bytes between fields are compared too, because a
 * capture would store them. */
static void same_fields(const StrobeComponent *component, const StrobeView *a, const StrobeView *b)
{
    gsize size = 0;

    FUZZ_REQUIRE(is_own(component, a->kind, &size));
    if (memcmp(a->fields, b->fields, size) == 0)
        return;
    for (gsize i = 0; i < size; i++)
        if (((const char *)a->fields)[i] != ((const char *)b->fields)[i])
            g_printerr("%s: byte %zu of %s differs\n", component->name, i, a->kind->name);
    FUZZ_REQUIRE(!"the same output twice");
}

int LLVMFuzzerTestOneInput(const guint8 *data, gsize n)
{
    const StrobeView *first, *second;
    const StrobeComponent *component;
    StrobeMockHost *once, *again;
    size_t n_first, n_second;

    if (n < 2)
        return 0;
    component = plugins[data[0] % G_N_ELEMENTS(plugins)]->components[0];
    once = run_component(component, data[1], (Bytes){data + 2, data + n});
    again = run_component(component, data[1], (Bytes){data + 2, data + n});
    n_first = strobe_mock_emitted(once, &first);
    n_second = strobe_mock_emitted(again, &second);
    FUZZ_REQUIRE(n_first == n_second);
    for (size_t i = 0; i < n_first; i++) {
        FUZZ_REQUIRE(!strcmp(first[i].kind->name, second[i].kind->name));
        FUZZ_REQUIRE(first[i].begin_ns == second[i].begin_ns);
        FUZZ_REQUIRE(first[i].end_ns == second[i].end_ns);
        FUZZ_REQUIRE(first[i].name == second[i].name && first[i].track == second[i].track);
        same_fields(component, &first[i], &second[i]);
    }
    strobe_mock_free(once);
    strobe_mock_free(again);
    return 0;
}
