/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define N 65536u

/* If a hash is a multiplication by GOLDEN, all small multiples of GOLDEN_INVERSE get the same entry
 * of a table. */
#define GOLDEN 0x9e3779b97f4a7c15u
#define GOLDEN_INVERSE 0xf1de83e19937733du

typedef guint64 (*Numbers)(guint i);

static guint64 copy_number(guint i)
{
    return i;
}

static guint64 multiply_number(guint i)
{
    return i * GOLDEN_INVERSE;
}

/* Returns numbers that all have the same hash in newer versions of GLib; the numbers of
 * shift_number() have the same hash in older versions. */
static guint64 double_number(guint i)
{
    return (guint64)i << 32 | i;
}

static guint64 shift_number(guint i)
{
    return (guint64)i << 48;
}

/* Checks the distribution of N hashes over N entries: with any key, only a few hashes share an
 * entry.
 * */
static void check_places(const guint64 *hashes, guint shift)
{
    g_autofree guint8 *places = g_new0(guint8, N);
    guint most = 0;

    for (guint i = 0; i < N; i++) {
        guint8 *place = &places[hashes[i] >> shift & (N - 1)];

        *place += *place < 255;
        most = MAX(most, *place);
    }
    g_assert_cmpuint(most, <, 24);
}

static void check_all_places(const guint64 *hashes)
{
    check_places(hashes, 0);
    check_places(hashes, 16);
    check_places(hashes, 48);
}

static void test_numbers(void)
{
    static const Numbers kinds[] = {copy_number, multiply_number, double_number, shift_number};
    const StrobeHashKey *key = strobe_hash_key();
    g_autofree guint64 *hashes = g_new(guint64, N);

    g_assert_cmpuint(GOLDEN * GOLDEN_INVERSE, ==, 1);
    for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
        for (guint i = 0; i < N; i++) {
            const guint64 number = kinds[kind](i);

            hashes[i] = strobe_hash_number(key, number);
            g_assert_cmpuint(strobe_hash_of_number(&number), ==, (guint)hashes[i]);
        }
        check_all_places(hashes);
        for (guint i = 0; i < N; i++)
            hashes[i] = strobe_hash_pair(key, kinds[kind](i / 256), kinds[kind](i % 256));
        check_all_places(hashes);
    }
}

/* Hashes texts that have the same hash in GLib: it is the same for "Ez" and "FY", and so for all
 * texts of equal length that consist of these two. */
static void test_texts(void)
{
    const StrobeHashKey *key = strobe_hash_key();
    g_autofree guint64 *hashes = g_new(guint64, N);
    char text[33] = "";

    for (guint i = 0; i < N; i++) {
        for (guint bit = 0; bit < 16; bit++)
            memcpy(text + 2 * bit, i >> bit & 1 ? "Ez" : "FY", 2);
        g_assert_cmpuint(g_str_hash(text), ==, g_str_hash("FYFYFYFYFYFYFYFYFYFYFYFYFYFYFYFY"));
        hashes[i] = strobe_hash_bytes(key, text, 32);
        g_assert_cmpuint(strobe_hash_of_text(text), ==, (guint)hashes[i]);
    }
    check_all_places(hashes);
}

/* Checks that the hash depends on each byte and on the length, but not on the surrounding bytes. */
static void test_bytes(void)
{
    const StrobeHashKey *key = strobe_hash_key();
    char bytes[80], copy[80];
    guint64 hash, before = 0;

    for (guint i = 0; i < sizeof bytes; i++)
        bytes[i] = 0;
    for (guint length = 0; length <= 70; length++, before = hash) {
        hash = strobe_hash_bytes(key, bytes + 3, length);
        g_assert_cmpuint(hash, !=, before);
        memset(copy, 0x55, sizeof copy);
        memcpy(copy + 1, bytes + 3, length);
        g_assert_cmpuint(strobe_hash_bytes(key, copy + 1, length), ==, hash);
        for (guint i = 0; i < length; i++) {
            copy[1 + i] ^= 0x10;
            g_assert_cmpuint(strobe_hash_bytes(key, copy + 1, length), !=, hash);
            copy[1 + i] ^= 0x10;
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/keyed-hash/numbers", test_numbers);
    g_test_add_func("/keyed-hash/texts", test_texts);
    g_test_add_func("/keyed-hash/bytes", test_bytes);
    return g_test_run();
}
