/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl-texts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

#define BUCKETS 1024u
#define TEXTS_MAX 65536u
#define LENGTH_MAX 4096u

static struct {
    pthread_mutex_t lock;
    OpenclText *bucket[BUCKETS];
    uint32_t n;
} texts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t bucket_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash % BUCKETS;
}

static OpenclText *make_text(const char *text, size_t length, OpenclText *next)
{
    OpenclText *made = texts.n < TEXTS_MAX ? malloc(sizeof *made + length + 1) : NULL;

    if (!made)
        return NULL;
    texts.n++;
    made->next = next;
    made->length = length;
    atomic_init(&made->known, 0);
    memcpy(made->text, text, length);
    made->text[length] = '\0';
    return made;
}

const OpenclText *opencl_text(const char *text, size_t length)
{
    OpenclText *found;

    length = length < LENGTH_MAX ? length : LENGTH_MAX;
    pthread_mutex_lock(&texts.lock);
    OpenclText **bucket = &texts.bucket[bucket_of(text, length)];
    for (found = *bucket; found; found = found->next)
        if (found->length == length && memcmp(found->text, text, length) == 0)
            break;
    if (!found) {
        found = make_text(text, length, *bucket);
        *bucket = found ? found : *bucket;
    }
    pthread_mutex_unlock(&texts.lock);
    return found;
}

/* Returns the text's id. If the host returns the same id for the text twice, the id is valid for
 * the whole window; otherwise it is valid for only one record. */
StrobeStringId opencl_text_id(StrobeWriter *writer, const OpenclText *text)
{
    OpenclText *kept = (OpenclText *)(uintptr_t)text;
    uint64_t window = opencl.window;

    if (!text)
        return 0;
    uint64_t known = atomic_load_explicit(&kept->known, memory_order_relaxed);
    if (__builtin_expect(known >> 32 == window, 1))
        return (StrobeStringId)known;
    StrobeStringId id = opencl.host->intern(writer, text->text, text->length);
    if (id && id == opencl.host->intern(writer, text->text, text->length))
        atomic_store_explicit(&kept->known, window << 32 | id, memory_order_relaxed);
    return id;
}

StrobeStringId opencl_string_id(StrobeWriter *writer, const char *text)
{
    return opencl.host->intern(writer, text, strlen(text));
}

void opencl_texts_after_fork(void)
{
    pthread_mutex_init(&texts.lock, NULL);
}
