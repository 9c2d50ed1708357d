/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <mock-consumer-host.h>
#include <string.h>
#include <strobe/helpers/table.h>

static const StrobeField every_fields[] = {
    {"u8", STROBE_FIELD_U8, 0, "", ""},       {"i32", STROBE_FIELD_I32, 0, "", ""},
    {"u32", STROBE_FIELD_U32, 0, "", ""},     {"u64", STROBE_FIELD_U64, 0, "ns", ""},
    {"i64", STROBE_FIELD_I64, 0, "ns", ""},   {"f64", STROBE_FIELD_F64, 0, "", ""},
    {"text", STROBE_FIELD_STRING, 0, "", ""}, {"stack", STROBE_FIELD_STACK, 0, "", ""},
    {"track", STROBE_FIELD_TRACK, 0, "", ""},
};

struct every {
    uint8_t u8;
    int32_t i32;
    uint32_t u32;
    uint64_t u64;
    int64_t i64;
    double f64;
    StrobeStringId text;
    StrobeStackId stack;
    StrobeTrackId track;
};

static const StrobeKind every_kind = {
    sizeof(StrobeKind), STROBE_SHAPE_SPAN, "test.every", "", every_fields, 9, 0};

/* Returns the text of the cell of `record` in a table whose only column is `field`. */
static char *cell_text(StrobeMockHost *mock, const StrobeView *record, const char *field,
                       uint32_t format)
{
    StrobeColumn column = {"Title", field, format};
    StrobeTable table = {"file.csv", "test.every", &column, 1};
    StrobeCell cell = {0};
    uint32_t place;
    char *text;

    strobe_table_bind(&table, record->kind, &place);
    g_assert_cmpint(strobe_table_cell(strobe_mock_table(mock), mock, &column, place, record, &cell),
                    ==, 0);
    g_assert_cmpuint(strlen(cell.bytes), ==, cell.length);
    text = cell.is_empty ? g_strdup("<absent>") : g_strdup(cell.bytes);
    strobe_cell_clear(&cell);
    return text;
}

static void check_cell(StrobeMockHost *mock, const StrobeView *record, const char *field,
                       uint32_t format, const char *expected)
{
    g_autofree char *text = cell_text(mock, record, field, format);

    g_assert_cmpstr(text, ==, expected);
}

/* Writes frames that contain the character that ends a frame. */
static void test_odd_frames(void)
{
    static const char *const odd[] = {";a;\\", "b\\;c", NULL};
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    struct every fields = {0};
    const StrobeView *r;

    fields.stack = strobe_mock_stack(mock, odd);
    r = strobe_mock_add(mock, &every_kind, 0, 0, 1000001, 1003001, &fields);
    check_cell(mock, r, "stack", STROBE_CELL_AUTO, "\\;a\\;\\\\;b\\\\\\;c");
    strobe_mock_free(mock);
}

static void test_cells(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    static const char *const frames[] = {"b.py(2): in", "a.py(1): out", NULL};
    struct every fields = {7, -5, 9, 18446744073709551614u, -1500, 2.5, 0, 0, 0};
    const StrobeView *r;

    fields.text = strobe_mock_bytes(mock, "2,3;;\xff\0", 7);
    fields.stack = strobe_mock_stack(mock, frames);
    fields.track = strobe_mock_track(mock, STROBE_TRACK_THREAD, 4712, "worker", NULL, -1);
    r = strobe_mock_add(mock, &every_kind, fields.track, strobe_mock_string(mock, "name"), 1000001,
                        1003001, &fields);
    check_cell(mock, r, "u8", STROBE_CELL_AUTO, "7");
    check_cell(mock, r, "i32", STROBE_CELL_INT, "-5");
    check_cell(mock, r, "u32", STROBE_CELL_REPR, "9.0");
    check_cell(mock, r, "u64", STROBE_CELL_AUTO, "18446744073709551614");
    check_cell(mock, r, "i64", STROBE_CELL_US_REPR, "-1.5");
    check_cell(mock, r, "f64", STROBE_CELL_AUTO, "2.5");
    check_cell(mock, r, "f64", STROBE_CELL_FIXED2, "2.50");
    check_cell(mock, r, "text", STROBE_CELL_TEXT, "2,3;;\xef\xbf\xbd\xef\xbf\xbd");
    check_cell(mock, r, "text", STROBE_CELL_LIST, "2,3;\r\n;\r\n\xef\xbf\xbd\xef\xbf\xbd");
    check_cell(mock, r, "stack", STROBE_CELL_LIST, "b.py(2): in;\r\na.py(1): out");
    check_cell(mock, r, "stack", STROBE_CELL_AUTO, "b.py(2): in;a.py(1): out");
    check_cell(mock, r, "track", STROBE_CELL_AUTO, "4712");
    check_cell(mock, r, STROBE_COLUMN_NAME, STROBE_CELL_TEXT, "name");
    check_cell(mock, r, STROBE_COLUMN_BEGIN, STROBE_CELL_US_TAB, "1000.001\t");
    check_cell(mock, r, STROBE_COLUMN_END, STROBE_CELL_US_FIXED, "1003.001");
    check_cell(mock, r, STROBE_COLUMN_DURATION, STROBE_CELL_US_REPR, "3.0");
    check_cell(mock, r, STROBE_COLUMN_TRACK_NAME, STROBE_CELL_TEXT, "worker");
    check_cell(mock, r, STROBE_COLUMN_NONE, STROBE_CELL_ZERO, "0");
    check_cell(mock, r, STROBE_COLUMN_NONE, STROBE_CELL_AUTO, "<absent>");
    check_cell(mock, r, "nonsense", STROBE_CELL_AUTO, "<absent>");
    check_cell(mock, r, "@nonsense", STROBE_CELL_AUTO, "<absent>");
    strobe_mock_free(mock);
}

static void test_absent(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    struct every fields = {.i32 = STROBE_ABSENT_I32,
                           .u32 = STROBE_ABSENT_U32,
                           .u64 = STROBE_ABSENT_U64,
                           .i64 = STROBE_ABSENT_I64,
                           .f64 = STROBE_ABSENT_F64,
                           .track = 99};
    const StrobeView *r = strobe_mock_add(mock, &every_kind, 0, 0, 0, 0, &fields);

    for (gsize i = 1; i < G_N_ELEMENTS(every_fields); i++)
        check_cell(mock, r, every_fields[i].name, STROBE_CELL_AUTO, "<absent>");
    check_cell(mock, r, STROBE_COLUMN_TRACK, STROBE_CELL_AUTO, "<absent>");
    check_cell(mock, r, STROBE_COLUMN_TRACK_NAME, STROBE_CELL_TEXT, "<absent>");
    strobe_mock_free(mock);
}

static void test_generic(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    StrobeColumn columns[STROBE_TABLE_COLUMNS_MAX];
    uint32_t n = strobe_table_generic(strobe_mock_kind(mock, &every_kind), columns);

    g_assert_cmpuint(n, ==, 4 + 9);
    g_assert_cmpstr(columns[2].title, ==, "Duration(us)");
    g_assert_cmpstr(columns[4].title, ==, "u8");
    n = strobe_table_generic(strobe_mock_kind(mock, &strobe_kind_marker_instant), columns);
    g_assert_cmpuint(n, ==, 3 + 1);
    strobe_mock_free(mock);
}

static void test_incomplete(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    StrobeColumn columns[STROBE_TABLE_COLUMNS_MAX];
    const StrobeKindView *kind = strobe_mock_kind(mock, &every_kind);
    StrobeView *r = strobe_mock_add(mock, &every_kind, 0, 0, 0, 0, NULL);
    uint32_t n;

    check_cell(mock, r, STROBE_COLUMN_INCOMPLETE, STROBE_CELL_AUTO, "<absent>");
    strobe_mock_derived_kind(mock, &every_kind);
    check_cell(mock, r, STROBE_COLUMN_INCOMPLETE, STROBE_CELL_AUTO, "0");
    check_cell(mock, r, STROBE_COLUMN_INCOMPLETE, STROBE_CELL_MARK, "<absent>");
    r->flags = STROBE_VIEW_INCOMPLETE | STROBE_VIEW_STRADDLES;
    check_cell(mock, r, STROBE_COLUMN_INCOMPLETE, STROBE_CELL_AUTO, "1");
    check_cell(mock, r, STROBE_COLUMN_INCOMPLETE, STROBE_CELL_MARK, "*");
    n = strobe_table_generic(kind, columns);
    g_assert_cmpuint(n, ==, 4 + 9 + 1);
    g_assert_cmpstr(columns[n - 1].title, ==, "Incomplete");
    strobe_mock_free(mock);
}

static int compare_cells(StrobeMockHost *mock, const char *field, const struct every *a,
                         const struct every *b)
{
    StrobeColumn column = {"Title", field, STROBE_CELL_AUTO};
    StrobeTable table = {"file.csv", "test.every", &column, 1};
    StrobeView x = {.kind = strobe_mock_kind(mock, &every_kind), .fields = a};
    StrobeView y = {.kind = x.kind, .fields = b};
    uint32_t place;

    strobe_table_bind(&table, x.kind, &place);
    return strobe_table_compare(strobe_mock_table(mock), mock, &column, place, &x, place, &y);
}

static void test_compare(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    struct every a = {.u64 = 5, .i64 = -5, .f64 = 1.5, .u32 = STROBE_ABSENT_U32};
    struct every b = {.u64 = UINT64_MAX - 1, .i64 = 4, .f64 = 1.25};

    a.text = strobe_mock_string(mock, "ab");
    b.text = strobe_mock_string(mock, "abc");
    g_assert_cmpint(compare_cells(mock, "u64", &a, &b), <, 0);
    g_assert_cmpint(compare_cells(mock, "i64", &a, &b), <, 0);
    g_assert_cmpint(compare_cells(mock, "f64", &a, &b), >, 0);
    g_assert_cmpint(compare_cells(mock, "text", &a, &b), <, 0);
    g_assert_cmpint(compare_cells(mock, "text", &a, &a), ==, 0);
    g_assert_cmpint(compare_cells(mock, "u32", &a, &b), <, 0); /* absent values are first */
    g_assert_cmpint(compare_cells(mock, "u32", &b, &a), >, 0);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/table/cells", test_cells);
    g_test_add_func("/table/odd-frames", test_odd_frames);
    g_test_add_func("/table/absent", test_absent);
    g_test_add_func("/table/generic", test_generic);
    g_test_add_func("/table/incomplete", test_incomplete);
    g_test_add_func("/table/compare", test_compare);
    return g_test_run();
}
