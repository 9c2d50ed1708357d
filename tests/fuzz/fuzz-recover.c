/* SPDX-License-Identifier: Apache-2.0 */
/* Recovers an open capture whose pool has arbitrary bytes. Afterwards the capture must be readable.
 * The input is a list of changes to a small valid pool: offset (4 bytes, modulo the pool's size),
 * number of bytes (1), the bytes. A change at 0xffffffff is appended to the capture instead, with
 * correct checksums. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "capture-bytes.h"
#include "capture-writer.h"
#include "crc32c.h"
#include "fuzz.h"
#include "intern.h"
#include "kind-table.h"
#include "pool.h"
#include "ring.h"
#include "process.h"
#include "reader.h"
#include "recover.h"
#include "span-names.h"
#include "track-table.h"

const char fuzz_target[] = "recover";

#define N_THREAD_BUFFERS 3u
#define N_BLOCKS 3u
#define N_SPANS 2u /* number of open spans in each thread buffer */
#define ARENA_BYTES 4096u
#define IN_CAPTURE 0xffffffffu

static struct {
    /* paths; `pool` is a new link to the file `master` in each run */
    char *folder, *capture, *pool, *master;
    struct pool_header *header;
    guint8 *sound; /* bytes of the pool before any change */
    gsize bytes;
    guint8 *capture_bytes;
    gsize capture_size;
} place;

static void clean_up(void)
{
    g_unlink(place.capture);
    g_unlink(place.pool);
    g_unlink(place.master);
    g_rmdir(place.folder);
}

/* ---- a small valid pool ---- */

static guint64 lay_out_part(struct pool_header *h, guint64 bytes)
{
    guint64 at = h->total_bytes;
    h->total_bytes = (at + bytes + 63) & ~(guint64)63;
    return at;
}

static void lay_out(struct pool_header *h)
{
    memset(h, 0, sizeof *h);
    memcpy(h->magic, STROBE_POOL_MAGIC, sizeof h->magic);
    h->version = STROBE_POOL_VERSION;
    h->block_bytes = STROBE_POOL_BLOCK_BYTES;
    h->n_thread_buffers = N_THREAD_BUFFERS;
    h->n_blocks = N_BLOCKS;
    h->arena_bytes = ARENA_BYTES;
    h->total_bytes = (sizeof *h + 63) & ~(guint64)63;
    h->thread_buffers_at = lay_out_part(h, sizeof(struct pool_thread_buffer) * N_THREAD_BUFFERS);
    h->seen_at = lay_out_part(h, STROBE_POOL_COUNTS * sizeof(StrobeLossCounts));
    h->kinds_at = lay_out_part(h, STROBE_POOL_KIND_BYTES);
    h->ring_at = lay_out_part(h, strobe_ring_bytes(N_BLOCKS));
    h->arena_at = lay_out_part(h, ARENA_BYTES);
    h->setup_at = lay_out_part(h, 0);
    h->blocks_at = lay_out_part(h, (guint64)STROBE_POOL_BLOCK_BYTES * N_BLOCKS);
    h->string_places = STROBE_POOL_STRINGS / 4;
    h->offsets_at = lay_out_part(h, sizeof(guint64) * h->string_places);
    h->slots_at = lay_out_part(h, sizeof(guint32) * strobe_pool_string_slots(h));
    h->tracks_at = lay_out_part(h, sizeof(struct pool_track) * (guint64)STROBE_POOL_TRACKS);
}

/* Fills a block with marker spans, in the format of a thread buffer. */
static void fill_block(struct pool_header *h, guint32 index, guint32 thread_buffer)
{
    struct pool_block *block = strobe_pool_block(h, index);
    guint64 *out = (guint64 *)(void *)(block + 1);
    const guint32 words = 5;

    block->thread_buffer = thread_buffer;
    block->sequence = 1;
    block->track = 1;
    block->window = 1;
    for (guint64 i = 0; i < 20; i++, out += words) {
        out[0] = 2ull << 32 | (guint64)STROBE_KIND_ID_MARKER << 16 | words;
        out[1] = 1000 + i;
        out[2] = 2000 + i;
        out[3] = i;
        out[4] = 0;
    }
    atomic_store(&block->used, 20 * words * 8);
    atomic_store(&block->owned, 1);
}

static void fill_span(struct pool_span *span, guint64 begin, guint64 name, guint64 argument)
{
    span->begin = begin;
    span->head = name << 32 | strobe_span_what(STROBE_KIND_ID_MARKER, 0);
    span->argument = argument;
}

static void fill_thread_buffer(struct pool_header *h, guint32 index)
{
    struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(h, index);

    atomic_store(&thread_buffer->block, index);
    thread_buffer->track = 1;
    thread_buffer->window = 1;
    thread_buffer->sequence = 1;
    fill_span(&thread_buffer->spans[0], 1500, 2, index);
    /* a span whose name is in the thread buffer itself */
    fill_span(&thread_buffer->spans[1], 1600, STROBE_NAME_IS_KEPT, index);
    thread_buffer->names[0] = 4;
    thread_buffer->names[1] = 0x65707573; /* "supe" */
    atomic_store(&thread_buffer->depth, N_SPANS);
    atomic_store(&thread_buffer->lost[0], index);
}

static void fill_pool(struct pool_header *h)
{
    static const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_STEPS, .device = -1, .name = "Steps"};

    strobe_pool_intern_begin(h);
    strobe_kind_begin(h);
    strobe_pool_intern(h, "name", 4, 0);
    strobe_track_find_or_add(h, &track);
    for (guint32 i = 0; i < N_THREAD_BUFFERS; i++) {
        fill_thread_buffer(h, i);
        fill_block(h, i, i);
    }
    atomic_store(&h->windows[1].window, 1);
    h->windows[1].begin = 500;
    g_strlcpy(h->windows[1].capture, place.capture, sizeof h->windows[1].capture);
}

static void make_pool(void)
{
    struct pool_header plan;
    int fd = open(place.master, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    lay_out(&plan);
    place.bytes = plan.total_bytes;
    FUZZ_REQUIRE(fd >= 0 && ftruncate(fd, (off_t)place.bytes) == 0);
    place.header = mmap(NULL, place.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    FUZZ_REQUIRE(place.header != MAP_FAILED);
    close(fd);
    *place.header = plan;
    fill_pool(place.header);
    place.sound = g_memdup2(place.header, place.bytes);
}

/* Makes the open capture, which needs only the metadata. */
static void make_capture(void)
{
    char boot_id[64], pool_id[33];

    strobe_boot_id(boot_id);
    strobe_pool_id(place.header, pool_id);
    g_autofree char *metadata =
        g_strdup_printf("{\"pool\": \"%s\", \"pool_id\": \"%s\", \"boot_id\": \"%s\"}", place.pool,
                        pool_id, boot_id);
    struct strobe_block_header header = {
        .type = STROBE_BLOCK_METADATA,
        .payload_bytes = (guint32)strlen(metadata),
        .window = 1,
        .thread_buffer = STROBE_THREAD_BUFFER_NONE,
        .pair = {.ticks = 400, .monotonic_ns = 400, .realtime_ns = 400, .boottime_ns = 400}};

    memcpy(header.magic, STROBE_BLOCK_MAGIC, sizeof header.magic);
    place.capture_size = sizeof header + strlen(metadata);
    place.capture_bytes = g_malloc(place.capture_size);
    memcpy(place.capture_bytes, &header, sizeof header);
    memcpy(place.capture_bytes + sizeof header, metadata, strlen(metadata));
    capture_bytes_repair(place.capture_bytes, place.capture_size);
}

static void prepare_folder(void)
{
    if (place.folder)
        return;
    place.folder = g_strdup("/dev/shm/strobe-fuzz-XXXXXX");
    if (!g_mkdtemp(place.folder)) {
        g_free(place.folder);
        place.folder = g_dir_make_tmp("strobe-fuzz-XXXXXX", NULL);
    }
    FUZZ_REQUIRE(place.folder);
    place.capture = g_build_filename(place.folder, "capture.strobe", NULL);
    place.pool = g_build_filename(place.folder, "strobe-fuzz.pool", NULL);
    place.master = g_build_filename(place.folder, "master", NULL);
    atexit(clean_up);
    make_pool();
    make_capture();
}

/* ---- changes ---- */

struct change {
    gsize at, n;
};

static GArray *change_all(const guint8 *bytes, gsize n, GByteArray *capture)
{
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(struct change));

    while (n > 5) {
        guint32 at;
        gsize length = MIN(bytes[4], n - 5);
        memcpy(&at, bytes, 4);
        if (at == IN_CAPTURE) {
            g_byte_array_append(capture, bytes + 5, (guint)length);
        } else {
            struct change change = {at % place.bytes, 0};
            change.n = MIN(length, place.bytes - change.at);
            memcpy((guint8 *)place.header + change.at, bytes + 5, change.n);
            g_array_append_val(changes, change);
        }
        bytes += 5 + length;
        n -= 5 + length;
    }
    return changes;
}

static void undo_changes(GArray *changes)
{
    for (guint i = 0; i < changes->len; i++) {
        const struct change *change = &g_array_index(changes, struct change, i);
        memcpy((guint8 *)place.header + change->at, place.sound + change->at, change->n);
    }
    g_array_unref(changes);
}

/* Checks that all records of the valid pool are recovered, because otherwise this target would test
 * nothing. */
static void check_sound(void)
{
    StrobeReader *reader = strobe_reader_open(place.capture, NULL);
    StrobeView views[100];
    gsize total = 0, n;

    FUZZ_REQUIRE(reader);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), NULL)))
        total += n;
    FUZZ_REQUIRE(strobe_reader_stats(reader)->recovered);
    FUZZ_REQUIRE(strobe_reader_stats(reader)->n_unfinished == N_SPANS * N_THREAD_BUFFERS);
    FUZZ_REQUIRE(total == 20 * N_BLOCKS + N_SPANS * N_THREAD_BUFFERS + N_THREAD_BUFFERS -
                              1); /* losses of two thread buffers are added to this */
    strobe_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    g_autoptr(GByteArray) capture = g_byte_array_new();
    g_autoptr(GError) error = NULL;

    prepare_folder();
    g_byte_array_append(capture, place.capture_bytes, (guint)place.capture_size);
    GArray *changes = change_all(bytes, n, capture);
    capture_bytes_repair(capture->data, capture->len);
    int fd = open(place.capture, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_REQUIRE(fd >= 0 && write(fd, capture->data, capture->len) == (gssize)capture->len);
    close(fd);
    g_unlink(place.pool);
    FUZZ_REQUIRE(link(place.master, place.pool) == 0);
    gboolean ok = strobe_recover(place.capture, NULL, &error);
    FUZZ_REQUIRE(ok == !error);
    capture_read_all(place.capture, 50);
    if (n == 0)
        check_sound();
    undo_changes(changes);
    return 0;
}
