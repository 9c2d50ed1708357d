/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that a name is found by its address and its text: no other text is taken for it, and no
 * byte of another page is read. */
#include "name-cache.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LONGEST 100u

/* Two pages, of which the second is not readable. The texts of the tests are near the end of the
 * first page. */
typedef struct {
    char *pages;
    gsize page;
    struct cached_name known;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    f->page = (gsize)sysconf(_SC_PAGESIZE);
    f->pages = mmap(NULL, 2 * f->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(f->pages != MAP_FAILED);
    g_assert_cmpint(mprotect(f->pages + f->page, f->page, PROT_NONE), ==, 0);
    memset(f->pages, '#', f->page);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    munmap(f->pages, 2 * f->page);
}

/* Writes a text of this length with `behind` bytes between its NUL and the end of the page, and
 * puts it into f->known. Returns its address. */
static char *put_name(Fixture *f, gsize length, gsize behind)
{
    char *name = f->pages + f->page - behind - 1 - length;

    memset(f->pages + f->page - 256, '#', 256);
    for (gsize i = 0; i < length; i++)
        name[i] = (char)('a' + i % 26);
    name[length] = '\0';
    f->known = (struct cached_name){0};
    strobe_cached_name_set(&f->known, name, 7);
    return name;
}

static gboolean is_equal(const Fixture *f, const char *name)
{
    const gboolean is_equal = strobe_cached_equals(&f->known, name);

    g_assert_cmpint(strobe_cached_equals_short(&f->known, name), ==,
                    is_equal && f->known.short_address == name);
    return is_equal;
}

/* Whether the text begins in the last word of the page, so that its second word is in another
 * page. */
static gboolean is_in_last_word(const Fixture *f, const char *name)
{
    return name >= f->pages + f->page - 8;
}

static void test_every_place(Fixture *f, gconstpointer data)
{
    guint n_known = 0, n_short = 0;

    for (gsize length = 0; length < LONGEST; length++)
        for (gsize behind = 0; behind < 16; behind++) {
            char *name = put_name(f, length, behind);

            if (f->known.address == NULL) {
                g_assert_true(length >= sizeof f->known.words - 8 || is_in_last_word(f, name));
                continue;
            }
            g_assert_true(is_equal(f, name));
            g_assert_cmpuint(f->known.id, ==, 7);
            /* Changes the bytes around the text, which are not part of it. */
            f->pages[f->page - behind - 2 - length] ^= 1;
            if (behind)
                name[length + 1] ^= 1;
            g_assert_true(is_equal(f, name));
            n_known++;
            n_short += f->known.short_address != NULL;
        }
    g_assert_cmpuint(n_known, >=, 16 * (sizeof f->known.words - 8));
    g_assert_cmpuint(n_short, >=, 16 * 8);
}

static void test_every_byte(Fixture *f, gconstpointer data)
{
    for (gsize length = 0; length < sizeof f->known.words - 8; length++)
        for (gsize behind = 0; behind < 9; behind++) {
            char *name = put_name(f, length, behind);

            if (is_in_last_word(f, name))
                continue;
            for (gsize i = 0; i <= length; i++) {
                name[i] ^= 0x20; /* at the NUL, this makes a text that continues */
                g_assert_false(is_equal(f, name));
                name[i] ^= 0x20;
            }
            for (gsize i = 0; i < length; i++) { /* a text that ends earlier */
                char before = name[i];

                name[i] = '\0';
                g_assert_false(is_equal(f, name));
                name[i] = before;
            }
            g_assert_true(is_equal(f, name));
            g_assert_false(strobe_cached_equals(&f->known, name + 1));
        }
}

/* A text in two pages is not cached, because its second page may be unmapped when it is
 * compared. */
static void test_across_pages(Fixture *f, gconstpointer data)
{
    char *name = f->pages + f->page - 3;

    g_assert_cmpint(mprotect(f->pages + f->page, f->page, PROT_READ | PROT_WRITE), ==, 0);
    strcpy(name, "across");
    strobe_cached_name_set(&f->known, name, 1);
    g_assert_null(f->known.address);
    strcpy(name, "ab"); /* the text is in one page, but two words are compared */
    strobe_cached_name_set(&f->known, name, 1);
    g_assert_null(f->known.address);
    strcpy(f->pages + f->page, "behind");
    strobe_cached_name_set(&f->known, f->pages + f->page, 1);
    g_assert_true(is_equal(f, f->pages + f->page));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/name-cache/every-place", Fixture, NULL, set_up, test_every_place, tear_down);
    g_test_add("/name-cache/every-byte", Fixture, NULL, set_up, test_every_byte, tear_down);
    g_test_add("/name-cache/across-pages", Fixture, NULL, set_up, test_across_pages, tear_down);
    return g_test_run();
}
