/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <glib.h>
#include <mock-consumer-host.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>

static const StrobeField source_fields[] = {
    STROBE_FIELD("block_num", U32, "", "Cores."), STROBE_FIELD("exact_us", F64, "us", "Duration."),
    STROBE_FIELD("device", I64, "", "Device; kernel_detail's has 32 bits.")};

static const StrobeKind source_kind = STROBE_KIND("test.source", SPAN, source_fields, "A task.");

typedef struct Source {
    uint32_t block_num;
    double exact_us;
    int64_t device;
} Source;

static const StrobeView *add_source(StrobeMockHost *mock, double exact_us)
{
    const Source fields = {7, exact_us, 3};

    return strobe_mock_add(mock, &source_kind, 0, 0, 1000, 3500, &fields);
}

static void test_absent(void)
{
    struct strobe_kernel_detail fields = {0};

    strobe_fields_absent(&strobe_kind_kernel_detail, &fields);
    g_assert_cmpuint(fields.block_num, ==, STROBE_ABSENT_U32);
    g_assert_cmpint(fields.device, ==, STROBE_ABSENT_I32);
}

static void test_copies(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    const StrobeView *record = add_source(mock, 2.25);
    struct strobe_kernel_detail fields;
    StrobeFieldCopies copies;

    strobe_fields_absent(&strobe_kind_kernel_detail, &fields);
    strobe_field_copies_find(&copies, record->kind, &strobe_kind_kernel_detail);
    strobe_field_copies_apply(&copies, record, &fields);
    g_assert_cmpuint(fields.block_num, ==, 7);
    g_assert_cmpint(fields.device, ==, STROBE_ABSENT_I32); /* the field has another type */
    strobe_mock_free(mock);
}

static void test_exact_duration(void)
{
    StrobeMockHost *mock = strobe_mock_new(NULL, -1);
    const StrobeView *record = add_source(mock, 2.25);
    const uint32_t exact = strobe_field_offset(record->kind, "exact_us", STROBE_FIELD_F64);

    g_assert_cmpfloat(strobe_view_exact_us(record, exact), ==, 2.25);
    g_assert_cmpfloat(strobe_view_exact_us(record, STROBE_FIELD_MISSING), ==, 2.5);
    g_assert_cmpfloat(strobe_view_exact_us(add_source(mock, NAN), exact), ==, 2.5);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fields/absent", test_absent);
    g_test_add_func("/fields/copies", test_copies);
    g_test_add_func("/fields/exact-duration", test_exact_duration);
    return g_test_run();
}
