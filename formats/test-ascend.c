/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the data in ascend.h: the rows name existing kinds and fields, their forms fit the fields'
 * types, and each title is found. */
#include "ascend-db.h"
#include "ascend-trace.h"

#include <glib.h>
#include <string.h>
#include <strobe/kinds.h>

static const StrobeKind *find_kind(const char *name)
{
    for (const StrobeKind *const *kind = strobe_standard_kinds; *kind; kind++)
        if (!strcmp((*kind)->name, name))
            return *kind;
    g_error("there is no kind %s", name);
}

static const StrobeField *find_field(const StrobeKind *kind, const char *name)
{
    for (uint32_t i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, name))
            return &kind->fields[i];
    g_error("kind %s has no field %s", kind->name, name);
}

/* Checks the unit of a field: ns if the form writes microseconds, B if the form writes MB. */
static void check_unit(const StrobeKind *kind, const AscendColumn *row)
{
    const char *unit = "";

    if (row->column.field[0] == '@')
        return;
    unit = find_field(kind, row->column.field)->unit;
    switch (row->column.cell) {
    case STROBE_CELL_US_REPR:
    case STROBE_CELL_US_FIXED:
    case STROBE_CELL_US_TAB:
    case STROBE_CELL_US_TRIM:
    case STROBE_CELL_US_FIXED6:
        g_assert_cmpstr(unit, ==, "ns");
        break;
    case STROBE_CELL_KB:
    case STROBE_CELL_MB:
        g_assert_cmpstr(unit, ==, "B");
        break;
    case STROBE_CELL_MB_FIXED3:
        g_assert_cmpstr(unit, ==, "B/s");
        break;
    default:
        g_assert_cmpstr(unit, !=, "ns");
    }
}

static void test_files(void)
{
    for (uint32_t i = 0; i < n_ascend_files; i++) {
        const AscendFile *file = &ascend_files[i];
        const StrobeKind *kind = find_kind(file->kind);

        g_assert_true(g_str_has_suffix(file->file, ".csv"));
        for (uint32_t k = 0; k < file->n_modes; k++) {
            find_field(kind, file->modes[k].min);
            find_field(kind, file->modes[k].max);
            find_field(kind, file->modes[k].avg);
        }
        for (uint32_t k = 0; k < file->n_columns; k++) {
            if (!file->n_modes)
                check_unit(kind, &file->columns[k]);
            if (!(file->columns[k].flags & ASCEND_COLUMN_METRICS))
                g_assert_nonnull(ascend_file_column(file, file->columns[k].column.title,
                                                    strlen(file->columns[k].column.title)));
        }
        if (file->only_field)
            find_field(kind, file->only_field);
    }
}

static char *make_header(const char *name, int32_t generation, int32_t level)
{
    StrobeColumn columns[STROBE_TABLE_COLUMNS_MAX];
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < n_ascend_files; i++) {
        uint32_t n;

        if (strcmp(ascend_files[i].file, name))
            continue;
        n = ascend_file_columns(&ascend_files[i], generation, level, columns, NULL);
        for (uint32_t k = 0; k < n; k++)
            g_string_append_printf(text, "%s%s", k ? "," : "", columns[k].title);
        break;
    }
    return g_string_free(text, FALSE);
}

static void check_header(const char *name, int32_t generation, int32_t level, const char *expected)
{
    g_autofree char *text = make_header(name, generation, level);

    g_assert_cmpstr(text, ==, expected);
}

/* Checks that the headers of the three generations are those in the documentation of the
 * formats. */
static void test_headers(void)
{
    check_header("kernel_details.csv", 1, 0,
                 "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
                 "Block Dim");
    check_header("kernel_details.csv", 3, 0,
                 "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),"
                 "Wait Time(us),Block Num,Input Shapes,Input Data Types,Input Formats,"
                 "Output Shapes,Output Data Types,Output Formats");
    check_header("kernel_details.csv", 2, 2,
                 "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
                 "Start Time(us),Duration(us),Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,"
                 "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
                 "Output Formats,Context ID,");
    check_header("op_statistic.csv", 1, 1,
                 "OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
                 "Ratio(%)");
    check_header("l2_cache.csv", 3, 1, "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name");
    check_header("step_trace_time.csv", 1, 1,
                 "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,"
                 "Bubble,Communication(Not Overlapped and Exclude Receive),Preparing");
    check_header("nic.csv", 3, 1,
                 "Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),rxPacket/s,"
                 "rxError rate(%),rxDropped rate(%),Tx Bandwidth efficiency(%),txPacket/s,"
                 "txError rate(%),txDropped rate(%),funcId");
}

static void check_metric(const char *metric, const char *title)
{
    char text[128];

    ascend_metric_title(metric, text, sizeof text);
    g_assert_cmpstr(text, ==, title);
    g_assert_cmpstr(ascend_metric_of_title(title, strlen(title), text, sizeof text), ==, metric);
}

static void test_metrics(void)
{
    char text[16];

    check_metric("aic_total_time", "aicore_time(us)");
    check_metric("aiv_total_time", "aiv_time(us)");
    check_metric("aic_mac_time", "aic_mac_time(us)");
    check_metric("aic_mac_ratio", "aic_mac_ratio");
    check_metric("aic_l1_read_bw", "aic_l1_read_bw(GB/s)");
    check_metric("aic_GM_to_L1_datas", "aic_GM_to_L1_datas(KB)");
    check_metric("cube_utilization", "cube_utilization(%)");
    g_assert_null(ascend_metric_of_title("a;b", 3, text, sizeof text));
    g_assert_null(ascend_metric_of_title("a_name_beyond_the_room", 22, text, sizeof text));
}

/* Checks that the titles of a set's columns are those in the documentation of the formats. */
static void test_metric_sets(void)
{
    static const struct {
        const char *name, *titles;
    } expected[] = {
        {"PipeUtilization", "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,"
                            "aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),"
                            "aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),"
                            "aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,"
                            "aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,"
                            "aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,"
                            "aiv_icache_miss_rate,cube_utilization(%)"},
        {"ArithmeticUtilization", "aicore_time(us),aic_total_cycles,aic_mac_fp16_ratio,"
                                  "aic_mac_int8_ratio,aic_cube_fops,aiv_time(us),aiv_total_cycles,"
                                  "aiv_vec_fp32_ratio,aiv_vec_fp16_ratio,aiv_vec_int32_ratio,"
                                  "aiv_vec_misc_ratio,aiv_vector_fops"},
        {"Memory", "aicore_time(us),aic_total_cycles,aic_l1_read_bw(GB/s),"
                   "aic_l1_write_bw(GB/s),aic_main_mem_read_bw(GB/s),"
                   "aic_main_mem_write_bw(GB/s),aic_l2_read_bw(GB/s),"
                   "aic_l2_write_bw(GB/s),aiv_time(us),aiv_total_cycles,"
                   "aiv_ub_read_bw(GB/s),aiv_ub_write_bw(GB/s),"
                   "aiv_main_mem_read_bw(GB/s),aiv_main_mem_write_bw(GB/s),"
                   "aiv_l2_read_bw(GB/s),aiv_l2_write_bw(GB/s)"},
        {"MemoryL0", "aicore_time(us),aic_total_cycles,aic_l0a_read_bw(GB/s),"
                     "aic_l0a_write_bw(GB/s),aic_l0b_read_bw(GB/s),aic_l0b_write_bw(GB/s),"
                     "aic_l0c_read_bw_cube(GB/s),aic_l0c_write_bw_cube(GB/s),aiv_time(us),"
                     "aiv_total_cycles,aiv_l0c_read_bw(GB/s),aiv_l0c_write_bw(GB/s)"},
        {"MemoryUB", "aicore_time(us),aic_total_cycles,aic_ub_read_bw_scalar(GB/s),"
                     "aic_ub_write_bw_scalar(GB/s),aiv_time(us),aiv_total_cycles,"
                     "aiv_ub_read_bw_vector(GB/s),aiv_ub_write_bw_vector(GB/s),"
                     "aiv_ub_read_bw_scalar(GB/s),aiv_ub_write_bw_scalar(GB/s)"},
        {"ResourceConflictRatio", "aicore_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles,"
                                  "aiv_vec_bankgroup_cflt_ratio,aiv_vec_bank_cflt_ratio,"
                                  "aiv_vec_resc_cflt_ratio"},
        {"L2Cache", "aicore_time(us),aic_total_cycles,aic_write_cache_hit,"
                    "aic_write_cache_miss_allocate,aic_r0_read_cache_hit,"
                    "aic_r0_read_cache_miss_allocate,aic_r1_read_cache_hit,"
                    "aic_r1_read_cache_miss_allocate,aiv_time(us),aiv_total_cycles,"
                    "aiv_write_cache_hit,aiv_write_cache_miss_allocate,"
                    "aiv_r0_read_cache_hit,aiv_r0_read_cache_miss_allocate,"
                    "aiv_r1_read_cache_hit,aiv_r1_read_cache_miss_allocate"},
        {"MemoryAccess", "aicore_time(us),aic_total_cycles,aic_read_main_memory_datas(KB),"
                         "aic_write_main_memory_datas(KB),aic_GM_to_L1_datas(KB),"
                         "aic_L0C_to_L1_datas(KB),aic_L0C_to_GM_datas(KB),"
                         "aic_GM_to_UB_datas(KB),aic_UB_to_GM_datas(KB),aiv_time(us),"
                         "aiv_total_cycles,aiv_read_main_memory_datas(KB),"
                         "aiv_write_main_memory_datas(KB),aiv_GM_to_L1_datas(KB),"
                         "aiv_L0C_to_L1_datas(KB),aiv_L0C_to_GM_datas(KB),"
                         "aiv_GM_to_UB_datas(KB),aiv_UB_to_GM_datas(KB)"},
    };

    g_assert_cmpuint(n_ascend_metric_sets, ==, G_N_ELEMENTS(expected));
    for (gsize i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_auto(GStrv) metrics = g_strsplit(ascend_metric_sets[i].metrics, ";", -1);
        g_autoptr(GString) titles = g_string_new(NULL);

        for (guint k = 0; metrics[k]; k++) {
            char title[128];

            g_assert_true(ascend_metric_is_possible(metrics[k]));
            ascend_metric_title(metrics[k], title, sizeof title);
            g_string_append_printf(titles, "%s%s", k ? "," : "", title);
        }
        g_assert_cmpstr(ascend_metric_sets[i].name, ==, expected[i].name);
        g_assert_cmpstr(titles->str, ==, expected[i].titles);
    }
}

/* Checks that metrics that a unit cannot have are omitted. The order in G3 is that of the set; in
 * earlier generations it is that of the source. */
static void test_metric_order(void)
{
    static const char *const names[] = {"aiv_ub_read_bw", "aic_ub_read_bw", "aic_l2_read_bw",
                                        "aiv_l1_read_bw", "aic_main_mem_read_bw"};
    static const char *const unknown[] = {"memory_bound", "aic_mac_ratio", "aiv_mac_ratio"};
    uint32_t order[5];

    g_assert_cmpuint(ascend_metric_order(names, 5, 1, order), ==, 3);
    g_assert_cmpuint(order[0], ==, 0);
    g_assert_cmpuint(order[1], ==, 2);
    g_assert_cmpuint(order[2], ==, 4);
    g_assert_cmpuint(ascend_metric_order(names, 5, 3, order), ==, 3);
    g_assert_cmpuint(order[0], ==, 4);
    g_assert_cmpuint(order[1], ==, 2);
    g_assert_cmpuint(order[2], ==, 0);
    g_assert_cmpuint(ascend_metric_order(unknown, 3, 3, order), ==, 2);
    g_assert_cmpuint(order[0], ==, 0);
    g_assert_cmpuint(order[1], ==, 1);
}

static void test_tables(void)
{
    for (uint32_t i = 0; i < n_ascend_db_tables; i++) {
        const AscendDbTable *table = &ascend_db_tables[i];
        gboolean is_generic = table->kind && g_str_has_prefix(table->kind, "ascend_db.");
        const StrobeKind *kind = table->kind && !is_generic ? find_kind(table->kind) : NULL;

        g_assert_true(ascend_db_table(table->name) == table);
        for (uint32_t k = 0; k < table->n_columns; k++) {
            const AscendDbColumn *column = &table->columns[k];

            g_assert_cmpint(column->field != NULL, ==, column->holds != ASCEND_DB_SPECIAL);
            if (column->holds == ASCEND_DB_ENUM)
                g_assert_cmpint(column->enumeration != NULL, ==, 1);
            if (kind && column->field && column->field[0] != '@')
                find_field(kind, column->field);
        }
    }
    g_assert_cmpstr(ascend_db_column(ascend_db_table("TASK"), "startNs", 1)->field, ==,
                    STROBE_COLUMN_BEGIN);
    g_assert_null(ascend_db_table("NO_SUCH"));
}

static void test_enums(void)
{
    g_assert_cmpstr(ascend_db_enum_name("API_TYPE", 5500, 1), ==, "hccl");
    g_assert_cmpstr(ascend_db_enum_name("API_TYPE", 5500, 3), ==, "communication");
    /* finds an entry that only older generations have */
    g_assert_cmpint(ascend_db_enum_id("API_TYPE", "hccl", 3), ==, 5500);
    g_assert_cmpint(ascend_db_enum_id("HCCL_LINK_TYPE", "HCCS_SW", 1), ==, 5);
    g_assert_cmpstr(ascend_db_enum_name("MODULE", 77, 1), ==, "CUSTOM");
    g_assert_cmpstr(ascend_db_enum_name("MODULE", 2, 3), ==, "SCC");
    g_assert_null(ascend_db_enum_name("MODULE", 78, 1));
    g_assert_cmpint(ascend_db_enum_id("MODULE", "NOBODY", 1), ==, -1);
}

static void test_trace(void)
{
    for (uint32_t i = 0; i < n_ascend_events; i++) {
        const StrobeKind *kind = find_kind(ascend_events[i].kind);

        for (uint32_t k = 0; k < ascend_events[i].n_args; k++) {
            const AscendArg *arg = &ascend_events[i].args[k];

            if (arg->field && arg->field[0] != '@' && !strchr(arg->field, '.'))
                find_field(kind, arg->field);
        }
    }
    for (uint32_t i = 0; i < n_ascend_counters; i++) {
        const StrobeKind *kind = find_kind(ascend_counters[i].kind);

        g_assert_nonnull(ascend_layer_by_name(ascend_counters[i].layer));
        if (ascend_counters[i].field)
            find_field(kind, ascend_counters[i].field);
        if (ascend_counters[i].index)
            find_field(kind, ascend_counters[i].index);
        if (ascend_counters[i].without)
            find_field(kind, ascend_counters[i].without);
        g_assert_cmpint(strstr(ascend_counters[i].name, "%i") != NULL, <=,
                        ascend_counters[i].index != NULL);
    }
    g_assert_cmpuint(ascend_layer_by_name("HCCL")->layer, ==, ASCEND_LAYER_COMMUNICATION);
    g_assert_cmpuint(ascend_layer_by_name("Communication")->sort_index, ==, 16);
    g_assert_null(ascend_layer_by_name("node"));
    g_assert_cmpstr(ascend_layer_in(ascend_layer_by_name("HCCL"), 3)->name, ==, "Communication");
    g_assert_cmpstr(ascend_layer_in(ascend_layer_by_name("Communication"), 1)->name, ==, "HCCL");
    g_assert_cmpstr(ascend_layer_in(ascend_layer_by_name("CCU"), 1)->name, ==, "CCU");
    g_assert_cmpstr(ascend_events_of(ASCEND_LAYER_PYTHON, "dequeue")->kind, ==, "task_queue");
    g_assert_null(ascend_events_of(ASCEND_LAYER_PYTHON, NULL));
    g_assert_cmpstr(ascend_api_prefix("hccl", 1), ==, "Hccl");
    g_assert_null(ascend_api_prefix("other", 1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ascend/files", test_files);
    g_test_add_func("/ascend/headers", test_headers);
    g_test_add_func("/ascend/metrics", test_metrics);
    g_test_add_func("/ascend/metric-sets", test_metric_sets);
    g_test_add_func("/ascend/metric-order", test_metric_order);
    g_test_add_func("/ascend/tables", test_tables);
    g_test_add_func("/ascend/enums", test_enums);
    g_test_add_func("/ascend/trace", test_trace);
    return g_test_run();
}
