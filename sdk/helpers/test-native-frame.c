/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <glib.h>
#include <string.h>
#include <strobe/helpers/native-frame.h>

static const StrobeBuildId none, some = {3, {0x01, 0xab, 0xff}};

static void check_frame(const char *path, const StrobeBuildId *build_id, guint64 address,
                        const char *text)
{
    char written[256];
    StrobeNativeFrame frame;
    size_t length = strobe_native_frame_write(written, sizeof written, path, build_id, address);

    g_assert_cmpstr(written, ==, text);
    g_assert_cmpuint(length, ==, strlen(text));
    g_assert_true(strobe_native_frame_read(written, length, &frame));
    g_assert_cmpmem(frame.path, frame.path_length, path, strlen(path));
    g_assert_cmpuint(frame.address, ==, address);
    g_assert_cmpmem(frame.build_id.bytes, frame.build_id.size, build_id->bytes, build_id->size);
}

static void test_round_trip(void)
{
    check_frame("/usr/lib/libc.so.6", &none, 0x1234, "/usr/lib/libc.so.6+0x1234");
    check_frame("/usr/lib/libc.so.6", &some, 0, "/usr/lib/libc.so.6+0x0@01abff");
    check_frame("/a+0x12@34 (deleted)", &some, G_MAXUINT64,
                "/a+0x12@34 (deleted)+0xffffffffffffffff@01abff");
}

static void test_no_room(void)
{
    char text[20];

    g_assert_cmpuint(
        strobe_native_frame_write(text, sizeof text, "/a/long/path/to/libx.so", &none, 0x99), ==,
        strlen("libx.so+0x99"));
    g_assert_cmpstr(text, ==, "libx.so+0x99");
    g_assert_cmpuint(strobe_native_frame_write(text, sizeof text, "/a/long/path/to/libx.so", &some,
                                               0x123456789abcdef0),
                     ==, sizeof text - 1);
}

static void test_other_texts(void)
{
    static const char *const texts[] = {
        "",      "/",      "main",        "libx.so+0x12", "/x+0x",
        "/x+12", "/x",     "/x+0x12@",    "/x+0x12@1",    "/x.py(3): f",
        "+0x12", "/+0x1g", "/x+0x12@ab ", "/x+0X12",      "/x+0x12345678901234567",
        "@ab",   "/@ab",   "/abcdef",     "/x 0x12",      "/x+0x12@@ab",
    };
    StrobeNativeFrame frame;

    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
        g_assert_false(strobe_native_frame_read(texts[i], strlen(texts[i]), &frame));
}

static void check_parts(const char *text, const char *function, const char *file, guint line)
{
    StrobeFrameParts parts = strobe_frame_parts(text, strlen(text));

    g_assert_cmpmem(text, parts.function_length, function, strlen(function));
    g_assert_cmpmem(parts.file, parts.file_length, file, strlen(file));
    g_assert_cmpuint(parts.line, ==, line);
}

static void test_parts(void)
{
    check_parts("main (h) src/h.c:12", "main (h)", "src/h.c", 12);
    check_parts("void a::b<int>(int) (lib (x).so) /a b/h.c:1", "void a::b<int>(int) (lib (x).so)",
                "/a b/h.c", 1);
    check_parts("train.py(12): step", "train.py(12): step", "train.py", 12);
    check_parts("/a (1): b/train.py(12): step", "/a (1): b/train.py(12): step",
                "/a (1): b/train.py", 12);
    check_parts("main (h)", "main (h)", "", 0);
    check_parts("aten::mm", "aten::mm", "", 0);
    check_parts("aten:7", "aten:7", "", 0);
    check_parts("f (h) h.c:99999999999", "f (h)", "h.c", 0);
    check_parts("): f", "): f", "", 0);
    check_parts("(1): f", "(1): f", "", 0);
    check_parts(":1", ":1", "", 0);
    check_parts("12", "12", "", 0);
    check_parts("", "", "", 0);
}

static gsize add_note(char *at, guint32 type, const char *name, guint32 n, const char *value)
{
    const Elf64_Nhdr note = {.n_namesz = 4, .n_descsz = n, .n_type = type};

    memcpy(at, &note, sizeof note);
    memcpy(at + sizeof note, name, 4);
    memcpy(at + sizeof note + 4, value, n);
    return sizeof note + 4 + ((n + 3) & ~3u);
}

static void test_notes(void)
{
    char notes[128] = "";
    gsize size = add_note(notes, 1, "GNU", 5, "ababa");
    StrobeBuildId found;

    g_assert_false(strobe_build_id_find(notes, size, &found));
    size += add_note(notes + size, NT_GNU_BUILD_ID, "GNU", 7, "0123456");
    g_assert_true(strobe_build_id_find(notes, size, &found));
    g_assert_cmpmem(found.bytes, found.size, "0123456", 7);
    for (gsize cut = 0; cut < size - 1; cut++) /* the function must read no byte beyond the end */
    {
        g_autofree char *part = g_memdup2(notes, cut);
        g_assert_false(strobe_build_id_find(part, cut, &found));
        g_assert_cmpuint(found.size, ==, 0);
    }
    memset(notes, 0xff, sizeof notes);
    g_assert_false(strobe_build_id_find(notes, sizeof notes, &found));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/native-frame/round-trip", test_round_trip);
    g_test_add_func("/native-frame/no-room", test_no_room);
    g_test_add_func("/native-frame/other-texts", test_other_texts);
    g_test_add_func("/native-frame/parts", test_parts);
    g_test_add_func("/native-frame/notes", test_notes);
    return g_test_run();
}
