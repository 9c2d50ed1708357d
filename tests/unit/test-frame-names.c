/* SPDX-License-Identifier: Apache-2.0 */
#include "frame-names.h"

#include <string.h>

static void expect_frame(const char *frame, const char *expected)
{
    g_autofree char *text = strobe_frame_name((StrobeText){frame, (uint32_t)strlen(frame)});

    g_assert_cmpstr(text, ==, expected);
}

static void test_frames(void)
{
    expect_frame("_Z4takev (program)", "take() (program)");
    expect_frame("_ZN1a1bINS_1cEEEiT_ (lib (old).so)", "int a::b<a::c>(a::c) (lib (old).so)");
    expect_frame("_Znwm", "operator new(unsigned long)");
    expect_frame("take (program)", NULL);
    expect_frame("", NULL);
    expect_frame("_Z", NULL);
    expect_frame("_Z_Z_Z (x)", NULL);
    g_assert_null(strobe_frame_name((StrobeText){"_Z4\0akev", 9}));
}

/* A name in which each template argument is a pair of the previous one, so that the last one would
 * have 2^35 parts, is not expanded. */
static void test_endless_name(void)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    GString *name = g_string_new("_Z1f1pI1aE");

    for (int i = 1; i < 36; i++)
        g_string_append_printf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
    g_string_append(name, " (x)");
    g_autofree char *text = strobe_frame_name((StrobeText){name->str, (uint32_t)name->len});
    g_assert_null(text);
    g_string_free(name, TRUE);
}

static guint32 set_name(StrobeStringTable *table, guint32 id, const char *text)
{
    strobe_string_table_set(table, id, text, strlen(text), FALSE);
    return id;
}

static const char *frame_of(const StrobeStringTable *table, guint32 stack, guint i)
{
    const StrobeStringId *frames;
    g_assert_cmpuint(strobe_string_table_stack(table, stack, &frames), >, i);
    return strobe_string_table_text(table, frames[i]).bytes;
}

/* The frames of stacks get readable C++ names, but records with the same names do not. Equal stacks
 * stay equal. */
static void test_stacks(void)
{
    StrobeStringTable *table = strobe_string_table_new(100);
    g_autoptr(JsonObject) metadata = json_object_new();
    guint32 frames[] = {set_name(table, 7, "_Z4takev (a)"), set_name(table, 8, "main (a)")};

    strobe_string_table_set(table, 9, (char *)frames, sizeof frames, TRUE);
    strobe_string_table_set(table, 10, (char *)&frames[1], sizeof *frames, TRUE);
    StrobeFrameNames *names = strobe_frame_names_new(table, metadata);
    g_assert_cmpstr(frame_of(table, 9, 0), ==, "take() (a)");
    g_assert_cmpstr(frame_of(table, 9, 1), ==, "main (a)");
    g_assert_cmpstr(frame_of(table, 10, 0), ==, "main (a)");
    g_assert_cmpstr(strobe_string_table_text(table, 7).bytes, ==, "_Z4takev (a)");
    g_autoptr(GArray) later = g_array_new(FALSE, FALSE, sizeof(StrobeStringId));
    strobe_frame_names_append(names, 7, later);
    strobe_frame_names_append(names, 8, later);
    g_assert_cmpuint(
        strobe_string_table_intern(table, later->data, later->len * sizeof *frames, TRUE), ==, 9);
    g_assert_cmpuint(strobe_string_table_intern(table, "main (a)", 8, FALSE), ==, 8);
    strobe_frame_names_append(names, 4000000, later);
    g_assert_cmpuint(g_array_index(later, StrobeStringId, 2), ==, 4000000);
    strobe_frame_names_free(names);
    strobe_string_table_free(table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/frame-names/frames", test_frames);
    g_test_add_func("/frame-names/endless-name", test_endless_name);
    g_test_add_func("/frame-names/stacks", test_stacks);
    return g_test_run();
}
