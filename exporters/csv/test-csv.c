/* SPDX-License-Identifier: Apache-2.0 */
#include "test-csv-fixture.h"

static StrobeView *add_operator(Fixture *f, const char *name, const char *shapes, int64_t begin,
                                int64_t total, int64_t self, StrobeStackId stack)
{
    struct strobe_operator_detail detail = {.host_total = total, .host_self = self, .stack = stack};

    detail.shapes = strobe_mock_string(f->mock, shapes);
    return strobe_mock_add(f->mock, &strobe_kind_operator_detail, f->thread,
                           strobe_mock_string(f->mock, name), begin, begin + total, &detail);
}

#define HEADER                                                                                     \
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"                 \
    "Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),"     \
    "Device Total Duration With AICore(us)\r\n"

static void test_operator_details(Fixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"m.py(2): f", "m.py(9): g", NULL};

    add_operator(f, "aten::inner", "", T0 + 5, 1000, 1000, 0);
    add_operator(f, "say \"hi\", all", "2,3;;4", T0, 96600, 89610, 0);
    add_operator(f, "ProfilerStep#3", "", T0, 96600, 89610, 0);
    add_operator(f, "aten::stacked", "", T0 + 5, 500, -20, strobe_mock_stack(f->mock, frames));
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "operator_details.csv",
               HEADER "\"say \"\"hi\"\", all\",\"2,3;\r\n;\r\n4\",,89.61,96.6,0,0,0,0\r\n"
                      "aten::inner,,,1.0,1.0,0,0,0,0\r\n"
                      "aten::stacked,,\"m.py(2): f;\r\nm.py(9): g\",-0.02,0.5,0,0,0,0\r\n");
    g_assert_cmpuint(clear_folder(f), ==, 1);
}

static const StrobeField fields[] = {
    {"size", STROBE_FIELD_U64, 0, "B", ""},
    {"share", STROBE_FIELD_F64, 0, "%", ""},
    {"what", STROBE_FIELD_STRING, 0, "", ""},
    {"ok", STROBE_FIELD_BOOL, 0, "", ""},
};

struct vendor {
    uint64_t size;
    double share;
    uint32_t what;
    uint8_t ok;
};

static const StrobeKind vendor = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "vendor.task", "", fields, 4, 0};
static const StrobeKind vendor_shorter = {
    sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "vendor.task", "", fields, 1, 0};

static void test_generic(Fixture *f, gconstpointer unused)
{
    struct vendor full = {7, 0.5, 0, 1};
    const struct vendor absent = {STROBE_ABSENT_U64, STROBE_ABSENT_F64, 0, 0};

    full.what = strobe_mock_bytes(f->mock, "a\xff\nb", 4);
    strobe_mock_add(f->mock, &vendor, f->thread, strobe_mock_string(f->mock, "t1"), T0, T0 + 2260,
                    &full);
    strobe_mock_add(f->mock, &vendor, 0, 0, T0, T0, &absent);
    strobe_mock_add(f->mock, &vendor_shorter, f->thread, 0, T0, T0, &full);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "vendor.task.csv",
               "Name,Begin(us),Duration(us),Track,size(B),share(%),what,ok\r\n"
               "t1,1736412474721516.710\t,2.26,4711,7,0.5,\"a\xef\xbf\xbd\nb\",1\r\n"
               ",1736412474721516.710\t,0.0,,,,,0\r\n");
    check_file(f, "vendor.task_2.csv",
               "Name,Begin(us),Track,size(B)\r\n"
               ",1736412474721516.710\t,4711,7\r\n");
    g_assert_cmpuint(clear_folder(f), ==, 2);
}

static const StrobeField formula_fields[] = {
    {"=title", STROBE_FIELD_F64, 0, "B", ""},
    {"what", STROBE_FIELD_STRING, 0, "", ""},
    {"where", STROBE_FIELD_STACK, 0, "", ""},
};

struct formula {
    double number;
    uint32_t what, where;
};

static const StrobeKind formula = {
    sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "formula", "", formula_fields, 3, 0};

static void add_formula(Fixture *f, const char *text)
{
    const char *const frames[] = {text, NULL};
    struct formula fields_of = {-1.5, strobe_mock_string(f->mock, text),
                                strobe_mock_stack(f->mock, frames)};

    strobe_mock_add(f->mock, &formula, f->thread, fields_of.what, T0, T0, &fields_of);
}

/* A text that a spreadsheet would execute gets an apostrophe, each time and in each column; numbers
 * get none. */
static void test_formulas(Fixture *f, gconstpointer unused)
{
    static const char *const texts[] = {"=1+1", "+1", "-1", "@a", "\tb", "a=1", "=1+1", "=\"a\",2"};

#define TIME ",1736412474721516.710\t,4711,-1.5,"
#define ROW(text) text TIME text "," text "\r\n"
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        add_formula(f, texts[i]);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "formula.csv",
               "Name,Begin(us),Track,'=title(B),what,where\r\n" ROW("'=1+1") ROW("'+1") ROW("'-1")
                   ROW("'@a") ROW("'\tb") ROW("a=1") ROW("'=1+1") ROW("\"'=\"\"a\"\",2\""));
}

static void test_carriage_return(Fixture *f, gconstpointer unused)
{
    add_formula(f, "\rb");
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "formula.csv", "Name,Begin(us),Track,'=title(B),what,where\r\n" ROW("\"'\rb\""));
}

static void test_long_formula(Fixture *f, gconstpointer unused)
{
    g_autofree char *text = g_strnfill(100000, '=');
    g_autofree char *expected = g_strdup_printf(
        "Name,Begin(us),Track,'=title(B),what,where\r\n'%s" TIME "'%s,'%s\r\n", text, text, text);

    add_formula(f, text);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "formula.csv", expected);
}

static void test_formulas_are_kept(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "formulas", "keep");
    add_formula(f, "=1+1");
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "formula.csv", "Name,Begin(us),Track,=title(B),what,where\r\n" ROW("=1+1"));
}

/* The Ascend files have no apostrophes, because their readers compare names. */
static void test_formulas_in_ascend_files(Fixture *f, gconstpointer unused)
{
    add_operator(f, "=1+1", "", T0, 1, 1, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "operator_details.csv", HEADER "=1+1,,,0.001,0.001,0,0,0,0\r\n");
}

static void test_all_fields(Fixture *f, gconstpointer unused)
{
    const struct vendor fields_of = {7, 0.5, 0, 1};

    strobe_mock_option(f->mock, "all_fields", "true");
    strobe_mock_add(f->mock, &vendor, f->thread, strobe_mock_string(f->mock, "t1"), T0, T0 + 2260,
                    &fields_of);
    add_operator(f, "aten::mm", "", T0, 1, 1, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "vendor.task.csv",
               "Name,Begin(us),Duration(us),Track,size(B),share(%),what,ok,Device\r\n"
               "t1,1736412474721516.710\t,2.26,4711,7,0.5,,1,-1\r\n");
    g_assert_cmpuint(clear_folder(f), ==, 2);
}

static void add_all(Fixture *f)
{
    strobe_mock_add(f->mock, &strobe_kind_cpu_op, f->thread, 0, T0, T0, NULL);
    strobe_mock_add(f->mock, &strobe_kind_collector_call, f->thread, 0, T0, T0, NULL);
    strobe_mock_add(f->mock, &strobe_kind_diagnostic, f->thread, 0, T0, T0, NULL);
    strobe_mock_add(f->mock, &strobe_kind_metadata, f->thread, 0, T0, T0, NULL);
    strobe_mock_add(f->mock, &strobe_kind_loss, f->thread, 0, T0, T0, NULL);
    add_operator(f, "aten::mm", "", T0, 1, 1, 0);
}

static void test_defaults(Fixture *f, gconstpointer unused)
{
    add_all(f);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "operator_details.csv", HEADER "aten::mm,,,0.001,0.001,0,0,0,0\r\n");
    check_file(f, "loss.csv",
               "Name,Begin(us),Duration(us),Track,count,cause,thread\r\n"
               ",1736412474721516.710\t,0.0,4711,0,0,\r\n");
    g_assert_cmpuint(clear_folder(f), ==, 2);
}

static void test_kinds_option(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "kinds", "diagnostic+cpu_op");
    add_all(f);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "diagnostic.csv",
               "Name,Begin(us),Track,text,level\r\n"
               ",1736412474721516.710\t,4711,,0\r\n");
    g_assert_cmpuint(clear_folder(f), ==, 2);
}

static void test_also(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "also", "diagnostic+metadata");
    add_all(f);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "metadata.csv",
               "Name,Begin(us),Track,value,is_json\r\n"
               ",1736412474721516.710\t,4711,,0\r\n");
    g_assert_cmpuint(clear_folder(f), ==, 4);
}

/* A generic table marks derived rows that touch a gap; the Ascend files have no column for this. */
static void test_incomplete(Fixture *f, gconstpointer unused)
{
    struct strobe_step_summary step = {.number = 4, .duration = 1000, .operators = 7};

    strobe_mock_derived_kind(f->mock, &strobe_kind_step_summary);
    strobe_mock_derived_kind(f->mock, &strobe_kind_operator_detail);
    strobe_mock_add(f->mock, &strobe_kind_step_summary, f->thread, 0, T0, T0 + 1000, &step);
    step.number = 5;
    strobe_mock_add(f->mock, &strobe_kind_step_summary, f->thread, 0, T0, T0 + 1000, &step)->flags =
        STROBE_VIEW_INCOMPLETE;
    add_operator(f, "aten::mm", "", T0, 1, 1, 0)->flags = STROBE_VIEW_INCOMPLETE;
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "step_summary.csv",
               "Name,Begin(us),Duration(us),Track,number,duration(ns),operators,operator_self(ns),"
               "gc(ns),markers,Incomplete\r\n"
               ",1736412474721516.710\t,1.0,4711,4,1000,7,0,0,0,0\r\n"
               ",1736412474721516.710\t,1.0,4711,5,1000,7,0,0,0,1\r\n");
    check_file(f, "operator_details.csv", HEADER "aten::mm,,,0.001,0.001,0,0,0,0\r\n");
}

/* The name of a kind is never used as a path. */
static void test_hostile_kind(Fixture *f, gconstpointer unused)
{
    g_autofree char *longest = g_strnfill(5000, 'k');
    const char *const names[] = {"../../etc/passwd", "", ".hidden", longest, "a\nb\xff"};
    StrobeKind kinds[G_N_ELEMENTS(names)];

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        kinds[i] = vendor_shorter;
        kinds[i].name = names[i];
        strobe_mock_add(f->mock, &kinds[i], f->thread, 0, T0, T0, NULL);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    check_file(f, "_.._.._etc_passwd.csv",
               "Name,Begin(us),Track,size(B)\r\n,1736412474721516.710\t,4711,0\r\n");
    check_file(f, "_.hidden.csv",
               "Name,Begin(us),Track,size(B)\r\n,1736412474721516.710\t,4711,0\r\n");
    g_assert_cmpuint(clear_folder(f), ==, G_N_ELEMENTS(names));
}

/* A damaged capture may declare any number of kinds: the number of files is limited, and a message
 * is logged. */
static void test_many_kinds(Fixture *f, gconstpointer unused)
{
    static StrobeKind kinds[300];
    static char names[300][16];

    for (gsize i = 0; i < 300; i++) {
        kinds[i] = vendor_shorter;
        g_snprintf(names[i], sizeof names[i], "kind.%u", (guint)i);
        kinds[i].name = names[i];
        strobe_mock_add(f->mock, &kinds[i], f->thread, 0, T0, T0, NULL);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
    g_assert_cmpuint(clear_folder(f), ==, 200);
}

static void test_nothing(Fixture *f, gconstpointer unused)
{
    add_operator(f, "ProfilerStep#1", "", T0, 1, 1, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_assert_cmpuint(clear_folder(f), ==, 0);
}

static void test_unwritable(Fixture *f, gconstpointer unused)
{
    strobe_mock_metadata(f->mock)->directory = -1;
    add_operator(f, "aten::mm", "", T0, 1, 1, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(strobe_mock_error(f->mock), "operator_details.csv"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function) g_test_add("/csv/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("operator-details", test_operator_details);
    ADD("generic", test_generic);
    ADD("formulas", test_formulas);
    ADD("carriage-return", test_carriage_return);
    ADD("long-formula", test_long_formula);
    ADD("formulas-are-kept", test_formulas_are_kept);
    ADD("formulas-in-ascend-files", test_formulas_in_ascend_files);
    ADD("all-fields", test_all_fields);
    ADD("defaults", test_defaults);
    ADD("kinds-option", test_kinds_option);
    ADD("also", test_also);
    ADD("incomplete", test_incomplete);
    ADD("hostile-kind", test_hostile_kind);
    ADD("many-kinds", test_many_kinds);
    ADD("nothing", test_nothing);
    ADD("unwritable", test_unwritable);
    return g_test_run();
}
