/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/keyed-hash.h>

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

static StrobeHashKey the_key;

static uint64_t next_word(uint64_t *state)
{
    const uint64_t step = 0x9e3779b97f4a7c15u, odd = 0xd1b54a32d192ed03u;

    *state += step;
    return strobe_hash_fold(*state ^ odd, step ^ *state >> 32);
}

/* Makes the process's key. Every kernel gives each program 16 random bytes without a system call.
 * Stack protectors are derived from these bytes too, so the key does not contain them unchanged. */
static void make_key(void)
{
    const char *random = (const char *)(uintptr_t)getauxval(AT_RANDOM);
    uint64_t words[2] = {(uint64_t)time(NULL), (uintptr_t)&words};

    if (random)
        memcpy(words, random, sizeof words);
    the_key.add = next_word(&words[0]) ^ next_word(&words[1]);
    the_key.factor = (next_word(&words[0]) + next_word(&words[1])) | 1;
    the_key.other = (next_word(&words[0]) ^ next_word(&words[1])) | 1;
}

const StrobeHashKey *strobe_hash_key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_key);
    return &the_key;
}

static uint64_t load_word(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

uint64_t strobe_hash_bytes(const StrobeHashKey *key, const void *bytes, size_t length)
{
    const char *at = bytes, *end = at + length;
    uint64_t hash = key->add, words[2] = {0, 0}; /* words: the last 16 bytes, used at the end */

    for (; end - at > 16; at += 16)
        hash = strobe_hash_fold(load_word(at) ^ key->factor, load_word(at + 8) ^ hash);
    if (length < 8) {
        if (length)
            memcpy(words, bytes, length);
    } else {
        words[0] = load_word(length < 16 ? at : end - 16);
        words[1] = load_word(end - 8);
    }
    hash = strobe_hash_fold(words[0] ^ key->factor, words[1] ^ hash);
    return strobe_hash_fold(hash ^ key->add, (uint64_t)length ^ key->other);
}

unsigned strobe_hash_of_number(const void *number)
{
    uint64_t value;

    memcpy(&value, number, sizeof value);
    return (unsigned)strobe_hash_number(strobe_hash_key(), value);
}

unsigned strobe_hash_of_text(const void *text)
{
    return (unsigned)strobe_hash_bytes(strobe_hash_key(), text, strlen(text));
}

unsigned strobe_hash_of_pointer(const void *pointer)
{
    return (unsigned)strobe_hash_number(strobe_hash_key(), (uintptr_t)pointer);
}
