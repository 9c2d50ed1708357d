/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of kinds.h and their descriptions say the same. */
#include <glib.h>
#include <stddef.h>
#include <string.h>
#include <strobe/kinds.h>

/* One member: its name, where it lies and how large it is. */
typedef struct Member {
    const char *name;
    size_t offset, size;
} Member;

#define M(struct_, member_)                                                                        \
    {                                                                                              \
#member_, offsetof(struct strobe_##struct_, member_),                                      \
            sizeof(((struct strobe_##struct_ *)0)->member_)                                        \
    }

static void check(const StrobeKind *kind, size_t size, const Member *members, size_t n)
{
    g_assert_cmpuint(kind->struct_size, ==, sizeof(StrobeKind));
    g_assert_cmpuint(kind->n_fields, ==, n);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpstr(kind->fields[i].name, ==, members[i].name);
        g_assert_cmpuint(strobe_kind_offset(kind, (uint32_t)i), ==, members[i].offset);
        g_assert_cmpuint(strobe_field_size(kind->fields[i].type), ==, members[i].size);
        g_assert_nonnull(kind->fields[i].unit);
        g_assert_true(g_str_has_suffix(kind->fields[i].summary, "."));
    }
    g_assert_cmpuint((strobe_kind_offset(kind, kind->n_fields) + 7) / 8 * 8, ==,
                     (size + 7) / 8 * 8);
}

#define CHECK(kind_, struct_, ...)                                                                 \
    do {                                                                                           \
        static const Member members[] = {__VA_ARGS__};                                             \
        check(&strobe_kind_##kind_, sizeof(struct strobe_##struct_), members,                      \
              G_N_ELEMENTS(members));                                                              \
    } while (0)

static void test_raw(void)
{
    CHECK(step, step, M(step, number), M(step, thread));
    CHECK(cpu_op, cpu_op, M(cpu_op, sequence), M(cpu_op, forward_thread), M(cpu_op, shapes),
          M(cpu_op, types), M(cpu_op, stack), M(cpu_op, scope), M(cpu_op, is_async));
    CHECK(gc, gc, M(gc, generation), M(gc, collected), M(gc, uncollectable));
    CHECK(marker, marker, M(marker, argument));
    CHECK(marker_instant, marker, M(marker, argument));
    CHECK(counter, counter, M(counter, value));
    CHECK(host_cpu, host_cpu, M(host_cpu, usage), M(host_cpu, user), M(host_cpu, system),
          M(host_cpu, processors), M(host_cpu, threads));
    CHECK(host_mem, host_mem, M(host_mem, usage), M(host_mem, resident), M(host_mem, virtual_size),
          M(host_mem, shared));
    CHECK(metadata, metadata, M(metadata, value), M(metadata, is_json));
    CHECK(loss, loss, M(loss, count), M(loss, cause), M(loss, lane));
    CHECK(collector_call, collector_call, M(collector_call, status));
    CHECK(diagnostic, diagnostic, M(diagnostic, text), M(diagnostic, level));
}

static void test_derived(void)
{
    CHECK(operator_detail, operator_detail, M(operator_detail, host_total),
          M(operator_detail, host_self), M(operator_detail, sequence),
          M(operator_detail, forward_thread), M(operator_detail, shapes), M(operator_detail, types),
          M(operator_detail, stack), M(operator_detail, children), M(operator_detail, scope),
          M(operator_detail, is_async), M(operator_detail, is_top));
    CHECK(operator_link, operator_link, M(operator_link, sequence), M(operator_link, to_begin),
          M(operator_link, to_track));
    CHECK(operator_average, operator_average, M(operator_average, calls),
          M(operator_average, host_self), M(operator_average, host_total),
          M(operator_average, host_min), M(operator_average, host_max),
          M(operator_average, host_average), M(operator_average, self_share),
          M(operator_average, shapes));
    CHECK(step_summary, step_summary, M(step_summary, number), M(step_summary, duration),
          M(step_summary, operators), M(step_summary, operator_self), M(step_summary, gc),
          M(step_summary, markers));
    CHECK(stack_total, stack_total, M(stack_total, host_self), M(stack_total, calls),
          M(stack_total, path));
}

/* The list is what generated documents and checkers walk: complete, without twins. */
static void test_list(void)
{
    size_t n = 0;

    for (; strobe_standard_kinds[n]; n++) {
        const StrobeKind *kind = strobe_standard_kinds[n];

        g_assert_cmpuint(kind->shape, >=, STROBE_SHAPE_SPAN);
        g_assert_cmpuint(kind->shape, <=, STROBE_SHAPE_LINK);
        g_assert_cmpuint(kind->n_fields, <=, STROBE_KIND_FIELDS_MAX);
        for (size_t i = 0; i < n; i++)
            g_assert_cmpstr(strobe_standard_kinds[i]->name, !=, kind->name);
    }
    g_assert_cmpuint(n, ==, 17);
}

static void test_unknown_type(void)
{
    const StrobeField fields[] = {{"good", STROBE_FIELD_U8, 0, "", ""}, {"bad", 99, 0, "", ""}};
    const StrobeKind kind = {sizeof kind, STROBE_SHAPE_INSTANT, "test.bad", "", fields, 2, 0};

    g_assert_cmpuint(strobe_kind_offset(&kind, 0), ==, 0);
    g_assert_cmpuint(strobe_kind_offset(&kind, 1), ==, UINT32_MAX);
}

/* Every cause has a name of its own. */
static void test_losses(void)
{
    for (uint32_t i = 0; i < STROBE_LOSS_CAUSES; i++) {
        g_assert_nonnull(strobe_loss_name(i));
        for (uint32_t k = 0; k < i; k++)
            g_assert_cmpstr(strobe_loss_name(i), !=, strobe_loss_name(k));
    }
    g_assert_cmpstr(strobe_loss_name(STROBE_LOSS_POOL_EMPTY), ==, "pool_empty");
    g_assert_null(strobe_loss_name(STROBE_LOSS_CAUSES));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kinds/raw", test_raw);
    g_test_add_func("/kinds/derived", test_derived);
    g_test_add_func("/kinds/list", test_list);
    g_test_add_func("/kinds/unknown-type", test_unknown_type);
    g_test_add_func("/kinds/losses", test_losses);
    return g_test_run();
}
