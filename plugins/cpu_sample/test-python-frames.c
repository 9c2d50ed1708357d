/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Python frames from images of memory that the test makes, some of which are damaged. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "elf-symbols.h"
#include "python-frames.h"
#include "python-text.h"

#define BASE 0x10000u
#define PAGES 8u
#define VERSION_3_11 0x030b02f0u
#define VERSION_3_12 0x030c01f0u
#define VERSION_3_13 0x030d00f0u
#define TID 4711

/* Offsets from BASE in the image. */
enum {
    RUNTIME = 0x100,
    STATE = 0x3000,  /* the interpreter's state */
    THREAD = 0x800,  /* the first thread state in the list, which is that of another thread */
    OTHER = 0xa00,   /* the thread state of the thread whose stack is read */
    POINTER = 0xc00, /* points to the innermost frame */
    FRAMES = 0x1000, /* 128 bytes each, innermost first */
    CODES = 0x2000,  /* 256 bytes each */
    TEXTS = 0x5000,  /* 256 bytes each */
    CODE_TYPE = 0x7000
};

typedef struct Image {
    guint8 bytes[PAGES * MEMORY_PAGE];
    PythonLayout layout;
    PythonInterpreter interpreter;
    ProcessMemory memory;
    PythonStack stack;
} Image;

static int read_image(void *user, uint64_t address, void *to, size_t size)
{
    const Image *image = user;

    if (address < BASE || size > sizeof image->bytes ||
        address - BASE > sizeof image->bytes - size) {
        errno = EFAULT;
        return -1;
    }
    memcpy(to, image->bytes + (address - BASE), size);
    return 0;
}

static void set_word(Image *image, guint32 at, guint64 value)
{
    memcpy(image->bytes + at, &value, sizeof value);
}

static void set_text(Image *image, guint32 n, guint32 state, const void *characters, gsize bytes,
                     guint64 length)
{
    guint32 at = TEXTS + n * 256;

    set_word(image, at + image->layout.text_length, length);
    memcpy(image->bytes + at + image->layout.text_state, &state, sizeof state);
    at += state & 64 ? image->layout.text_ascii : image->layout.text_other;
    memcpy(image->bytes + at, characters, bytes);
}

static void set_ascii(Image *image, guint32 n, const char *text)
{
    set_text(image, n, 1u << 2 | 1u << 5 | 1u << 6, text, strlen(text), strlen(text));
}

static void set_code(Image *image, guint32 n, guint32 file, guint32 name, guint32 line)
{
    guint32 at = CODES + n * 256;

    set_word(image, at + 8, BASE + CODE_TYPE);
    set_word(image, at + image->layout.code_file, BASE + TEXTS + file * 256);
    set_word(image, at + image->layout.code_name, BASE + TEXTS + name * 256);
    memcpy(image->bytes + at + image->layout.code_line, &line, sizeof line);
}

static void set_frame(Image *image, guint32 n, guint64 previous, guint32 code, guint8 owner)
{
    guint32 at = FRAMES + n * 128;

    set_word(image, at + image->layout.frame_previous, previous);
    set_word(image, at + image->layout.frame_code, BASE + CODES + code * 256);
    image->bytes[at + image->layout.frame_owner] = owner;
}

static guint64 frame_at(guint32 n)
{
    return BASE + FRAMES + n * 128;
}

/* Fills the image with a thread that runs inner(), a generator, which was called by outer() in
 * another file. */
static void fill_image(Image *image, guint32 version)
{
    static const gunichar2 wide[] = {0x6f22, 0x5b57};

    memset(image, 0, sizeof *image);
    image->memory.read = read_image;
    image->memory.user = image;
    g_assert_cmpint(python_layout_find(&image->layout, version, &image->memory, 0), ==, 0);
    image->interpreter.layout = image->layout;
    image->interpreter.runtime = BASE + RUNTIME;
    image->interpreter.code_type = BASE + CODE_TYPE;
    set_word(image, RUNTIME + image->layout.runtime_interpreters, BASE + STATE);
    set_word(image, STATE + image->layout.interpreter_threads, BASE + THREAD);
    set_word(image, THREAD + image->layout.thread_next, BASE + OTHER);
    set_word(image, THREAD + image->layout.thread_number, TID - 1);
    set_word(image, OTHER + image->layout.thread_number, TID);
    set_word(image, OTHER + image->layout.thread_frame, BASE + POINTER);
    set_word(image, POINTER + image->layout.frame_pointer, frame_at(0));
    set_frame(image, 0, frame_at(1), 0, PYTHON_OWNER_GENERATOR);
    set_frame(image, 1, frame_at(2), 1, 0);
    set_frame(image, 2, 0, 1, PYTHON_OWNER_C);
    set_code(image, 0, 0, 1, 12);
    set_code(image, 1, 2, 3, 7);
    set_ascii(image, 0, "/a/b.py");
    set_text(image, 1, 2u << 2 | 1u << 5, wide, sizeof wide, 2);
    set_ascii(image, 2, "c.py");
    set_text(image, 3, 1u << 2 | 1u << 5, "\xf6uter", 5, 5);
}

static int read_stack(Image *image)
{
    return python_frames_read(&image->interpreter, &image->memory, TID, &image->stack);
}

static void test_frames(gconstpointer version)
{
    g_autofree Image *image = g_new(Image, 1);

    fill_image(image, GPOINTER_TO_UINT(version));
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_READ);
    g_assert_cmpuint(image->stack.n, ==, 2); /* the C frame is not part of the stack */
    g_assert_cmpstr(image->stack.frames[0]->text, ==, "/a/b.py(12): 漢字");
    g_assert_cmpstr(image->stack.frames[1]->text, ==, "c.py(7): öuter");
    const PythonCode *known = image->stack.frames[0];
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_READ);
    g_assert_true(image->stack.frames[0] == known);
    set_word(image, POINTER + image->layout.frame_pointer, 0);
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_NONE);
    g_assert_cmpint(python_frames_read(&image->interpreter, &image->memory, 1, &image->stack), ==,
                    PYTHON_STACK_NONE);
    python_interpreter_clear(&image->interpreter);
}

/* Another function's code is now at the address of an earlier code object. */
static void test_replaced_code(void)
{
    g_autofree Image *image = g_new(Image, 1);

    fill_image(image, VERSION_3_12);
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_READ);
    set_code(image, 1, 2, 0, 8);
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_READ);
    g_assert_cmpstr(image->stack.frames[1]->text, ==, "c.py(8): /a/b.py");
    g_assert_cmpstr(image->stack.frames[0]->text, ==, "/a/b.py(12): 漢字");
    python_interpreter_clear(&image->interpreter);
}

static void assert_torn(void (*damage)(Image *image))
{
    g_autofree Image *image = g_new(Image, 1);

    fill_image(image, VERSION_3_11);
    damage(image);
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_TORN);
    python_interpreter_clear(&image->interpreter);
}

static void lose_caller(Image *image)
{
    set_frame(image, 0, 0, 0, PYTHON_OWNER_GENERATOR);
}

static void lose_type(Image *image)
{
    set_word(image, CODES + 8, BASE + STATE);
}

static void lose_owner(Image *image)
{
    set_frame(image, 1, 0, 1, 200);
}

static void misalign_frames(Image *image)
{
    set_frame(image, 0, frame_at(1) + 4, 0, 0);
}

static void leave_memory(Image *image)
{
    set_frame(image, 1, G_MAXUINT64 & ~7ull, 1, 0);
}

static void lose_name(Image *image)
{
    set_text(image, 1, 5u << 2 | 1u << 5, "", 0, 2); /* characters of 5 bytes */
}

static void cut_name(Image *image)
{
    set_text(image, 1, 4u << 2 | 1u << 5, "", 0, G_MAXUINT64);
    set_word(image, CODES + image->layout.code_name, BASE + sizeof image->bytes - 64);
}

static void test_torn(void)
{
    assert_torn(lose_caller);
    assert_torn(lose_type);
    assert_torn(lose_owner);
    assert_torn(misalign_frames);
    assert_torn(leave_memory);
    assert_torn(lose_name);
    assert_torn(cut_name);
}

/* Only a limited part of circular lists and stacks is read. */
static void test_circles(void)
{
    g_autofree Image *image = g_new(Image, 1);

    fill_image(image, VERSION_3_11);
    set_frame(image, 1, frame_at(0), 1, 0);
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_READ);
    g_assert_cmpuint(image->stack.n, ==, PYTHON_FRAMES_MAX);
    set_frame(image, 2, frame_at(2), 1, PYTHON_OWNER_C);
    set_word(image, POINTER + image->layout.frame_pointer, frame_at(2));
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_NONE);
    set_word(image, OTHER + image->layout.thread_number, 1);
    set_word(image, OTHER + image->layout.thread_next, BASE + THREAD);
    set_word(image, STATE + image->layout.interpreter_next, BASE + STATE);
    g_assert_cmpint(read_stack(image), ==, PYTHON_STACK_NONE);
    python_interpreter_clear(&image->interpreter);
}

/* A text has invalid characters, and other texts do not fit in the buffer. */
static void test_text_ends(void)
{
    g_autofree Image *image = g_new(Image, 1);
    static const guint32 strange[] = {0xd800, 0x110000, 0, 0x1f600};
    char text[64], small[8];

    fill_image(image, VERSION_3_12);
    set_text(image, 0, 4u << 2 | 1u << 5, strange, sizeof strange, G_N_ELEMENTS(strange));
    g_assert_cmpint(
        python_text_read(&image->memory, &image->layout, BASE + TEXTS, text, sizeof text), ==, 13);
    g_assert_cmpstr(text, ==, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80");
    python_text_read(&image->memory, &image->layout, BASE + TEXTS, small, sizeof small);
    g_assert_true(g_utf8_validate(small, -1, NULL));
}

static void damage_at_random(Image *image, GRand *rand)
{
    guint n = (guint)g_rand_int_range(rand, 1, 12);

    for (guint i = 0; i < n; i++) {
        guint32 at = (guint32)g_rand_int_range(rand, 0, (gint32)sizeof image->bytes - 8) & ~7u;
        switch (g_rand_int_range(rand, 0, 4)) {
        case 0:
            set_word(image, at, (guint64)g_rand_int(rand) << 32 | g_rand_int(rand));
            break;
        case 1:
            set_word(image, at, BASE + (g_rand_int(rand) % sizeof image->bytes & ~7u));
            break;
        case 2:
            at = (FRAMES | (at & 0x1ff));
            set_word(image, at, BASE + (g_rand_int(rand) % sizeof image->bytes & ~7u));
            break;
        default:
            image->bytes[at] ^= (guint8)(1 << g_rand_int_range(rand, 0, 8));
        }
    }
}

/* Whatever the memory contains, the result is that the stack was read, is torn or is missing, and
 * texts are UTF-8. */
static void test_damaged(void)
{
    static const guint32 versions[] = {VERSION_3_11, VERSION_3_12};
    GRand *rand = g_rand_new_with_seed(29);
    g_autofree Image *image = g_new(Image, 1);
    guint counts[3] = {0};

    for (guint i = 0; i < 4000; i++) {
        fill_image(image, versions[i % 2]);
        for (guint j = 0; j < 5; j++) {
            int result = read_stack(image);
            g_assert_cmpint(result, >=, PYTHON_STACK_TORN);
            g_assert_cmpint(result, <=, PYTHON_STACK_READ);
            counts[result + 1]++;
            for (guint k = 0; result == PYTHON_STACK_READ && k < image->stack.n; k++)
                g_assert_true(g_utf8_validate(image->stack.frames[k]->text, -1, NULL));
            damage_at_random(image, rand);
        }
        python_interpreter_clear(&image->interpreter);
    }
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        g_assert_cmpuint(counts[i], >, 0);
    g_rand_free(rand);
}

/* Python 3.13 itself reports the offsets of its structures. */
static void test_reported_layout(void)
{
    g_autofree Image *image = g_new0(Image, 1);
    PythonLayout layout;

    image->memory.read = read_image;
    image->memory.user = image;
    g_assert_cmpint(python_layout_find(&layout, VERSION_3_13, &image->memory, 0), ==, -1);
    g_assert_cmpint(python_layout_find(&layout, VERSION_3_13, &image->memory, BASE), ==, -1);
    memcpy(image->bytes, "xdebugpy", 8);
    set_word(image, 8, VERSION_3_13);
    set_word(image, 24 + 2 * 8, 632);
    set_word(image, 24 + 24 + 104 + 4 * 8, 72); /* offset of the frame in a thread state */
    g_assert_cmpint(python_layout_find(&layout, VERSION_3_13, &image->memory, BASE), ==, 0);
    g_assert_cmpuint(layout.runtime_interpreters, ==, 632);
    g_assert_cmpuint(layout.thread_frame, ==, 72);
    set_word(image, 24 + 2 * 8, G_MAXUINT64);
    g_assert_cmpint(python_layout_find(&layout, VERSION_3_13, &image->memory, BASE), ==, -1);
    set_word(image, 24 + 2 * 8, 632);
    set_word(image, 16, 1); /* without the global lock */
    g_assert_cmpint(python_layout_find(&layout, VERSION_3_13, &image->memory, BASE), ==, -1);
    g_assert_cmpint(python_layout_find(&layout, 0x030a00f0, &image->memory, BASE), ==, -1);
    g_assert_cmpint(python_layout_find(&layout, 0x030e00f0, &image->memory, BASE), ==, -1);
}

/* Reads the symbols of this program's file, and of damaged copies of the file. */
static void test_symbols(void)
{
    static const char *const names[] = {"main", "no such symbol"};
    g_autofree char *bytes = NULL, *path = NULL;
    gsize length;
    guint64 addresses[2];

    g_assert_true(g_file_get_contents("/proc/self/exe", &bytes, &length, NULL));
    int file = g_file_open_tmp("strobe-elf-XXXXXX", &path, NULL);
    g_assert_cmpint(write(file, bytes, length), ==, (gssize)length);
    g_assert_cmpuint(elf_symbols_find(file, names, addresses, 2), ==, 1);
    g_assert_cmpuint(addresses[0], !=, 0);
    g_assert_cmpuint(addresses[1], ==, 0);
    GRand *rand = g_rand_new_with_seed(29);
    guint64 sections;
    memcpy(&sections, bytes + 40, sizeof sections);
    for (guint i = 0; i < 500; i++) {
        guint64 value = (guint64)g_rand_int(rand) << g_rand_int_range(rand, 0, 32);
        gsize at = sections + (guint64)g_rand_int_range(rand, 0, (gint32)(length - sections));
        at = i % 5 ? MIN(at, length - 8) : 16 + (gsize)g_rand_int_range(rand, 0, 40);
        g_assert_cmpint(pwrite(file, &value, sizeof value, (off_t)at), ==, sizeof value);
        elf_symbols_find(file, names, addresses, 2);
        g_assert_cmpint(pwrite(file, bytes + at, sizeof value, (off_t)at), ==, sizeof value);
    }
    g_assert_cmpint(ftruncate(file, (off_t)sections + 8), ==, 0);
    g_assert_cmpuint(elf_symbols_find(file, names, addresses, 2), ==, 0);
    g_rand_free(rand);
    close(file);
    g_remove(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/python_frames/3.11", GUINT_TO_POINTER(VERSION_3_11), test_frames);
    g_test_add_data_func("/python_frames/3.12", GUINT_TO_POINTER(VERSION_3_12), test_frames);
    g_test_add_func("/python_frames/replaced-code", test_replaced_code);
    g_test_add_func("/python_frames/torn", test_torn);
    g_test_add_func("/python_frames/circles", test_circles);
    g_test_add_func("/python_frames/text-ends", test_text_ends);
    g_test_add_func("/python_frames/damaged", test_damaged);
    g_test_add_func("/python_frames/told-layout", test_reported_layout);
    g_test_add_func("/python_frames/symbols", test_symbols);
    return g_test_run();
}
