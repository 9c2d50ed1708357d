/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/record-log.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/compression.h>
#include <strobe/helpers/file-part.h>
#include <unistd.h>

/* Size of most blocks; a longer record has its own block. */
#define BLOCK_BYTES ((size_t)64 * 1024)

/* A sequence of records; each is a length and the record's bytes, padded to a multiple of eight. */
typedef struct Block {
    char *bytes;           /* NULL: the block is in the file */
    size_t length, stored; /* `stored` is the number of bytes in the file; if it is less than
                              `length`, the block is compressed */
    uint64_t offset;
} Block;

struct StrobeRecordLog {
    StrobeStorage *storage;
    Block *blocks;
    size_t n_blocks, blocks_size;
    char *current; /* the block to which records are added */
    size_t used, size;
    uint64_t n_records;
    uint64_t in_memory; /* bytes of blocks in memory, which are part of the storage's used_bytes */
    int file;           /* -1: there is no file yet */
    uint64_t file_size;
    StrobeCompression *compression; /* NULL until the first use */
    int error;
};

struct StrobeRecordLogReader {
    const StrobeRecordLog *log;
    size_t next, until; /* indexes of blocks */
    char *at, *end;
    char *room; /* buffer for a block from the file */
    size_t room_size;
    StrobeCompression *compression; /* NULL until the first use */
    int error;
};

StrobeRecordLog *strobe_record_log_new(StrobeStorage *storage)
{
    StrobeRecordLog *log = calloc(1, sizeof *log);

    if (!log)
        return NULL;
    log->storage = storage;
    log->file = -1;
    return log;
}

void strobe_record_log_free(StrobeRecordLog *log)
{
    if (!log)
        return;
    for (size_t i = 0; i < log->n_blocks; i++)
        free(log->blocks[i].bytes);
    __atomic_fetch_sub(&log->storage->used_bytes, log->in_memory, __ATOMIC_RELAXED);
    if (log->file >= 0)
        close(log->file);
    free(log->blocks);
    free(log->current);
    strobe_compression_free(log->compression);
    free(log);
}

uint64_t strobe_record_log_count(const StrobeRecordLog *log)
{
    return log ? log->n_records : 0;
}

int strobe_record_log_error(const StrobeRecordLog *log)
{
    return log ? log->error : ENOMEM;
}

/* ---- writing blocks ---- */

/* Returns the size of the compressed block; 0: the block stays uncompressed. */
static size_t compress_block(StrobeRecordLog *log, size_t length, char *compressed)
{
    if (!log->compression)
        log->compression = strobe_compression_new();
    return strobe_compress(log->compression, compressed, log->current, length);
}

/* Writes a block to the file. Compresses it only if the file exceeds `log_bytes`: to write a
 * smaller file takes less time than to compress it. */
static int write_block(StrobeRecordLog *log, Block *block)
{
    const bool is_large = log->file_size >= log->storage->log_bytes;
    char *compressed = is_large ? malloc(block->length) : NULL;
    const size_t n = compressed ? compress_block(log, block->length, compressed) : 0;
    int error;

    if (log->file < 0)
        log->file = log->storage->open_file(log->storage);
    if (log->file < 0) {
        free(compressed);
        return errno;
    }
    block->stored = n ? n : block->length;
    block->offset = log->file_size;
    error = strobe_file_part_write(log->file, block->offset, n ? compressed : log->current,
                                   block->stored);
    log->file_size += block->stored;
    free(compressed);
    return error;
}

static bool may_keep(StrobeRecordLog *log, size_t n)
{
    StrobeStorage *storage = log->storage;

    if (__atomic_add_fetch(&storage->used_bytes, n, __ATOMIC_RELAXED) <= storage->log_bytes) {
        log->in_memory += n;
        return true;
    }
    __atomic_fetch_sub(&storage->used_bytes, n, __ATOMIC_RELAXED);
    return false;
}

static int make_room_for_block(StrobeRecordLog *log)
{
    const size_t size = log->blocks_size + log->blocks_size / 2 + 16;
    Block *blocks;

    if (log->n_blocks < log->blocks_size)
        return 0;
    blocks = realloc(log->blocks, size * sizeof *blocks);
    if (!blocks)
        return ENOMEM;
    log->blocks = blocks;
    log->blocks_size = size;
    return 0;
}

/* Keeps the current block in memory, or writes it to the file. */
static int end_block(StrobeRecordLog *log)
{
    Block block = {.length = log->used};
    int error;

    if (!log->used)
        return 0;
    error = make_room_for_block(log);
    if (error)
        return error;
    if (may_keep(log, log->size)) {
        block.bytes = log->current;
        log->current = NULL;
        log->size = 0;
    } else {
        error = write_block(log, &block);
    }
    log->used = 0;
    if (!error)
        log->blocks[log->n_blocks++] = block;
    return error;
}

/* Ends the current block, and begins one with room for `need` bytes. */
static int begin_block(StrobeRecordLog *log, size_t need)
{
    const size_t size = need < BLOCK_BYTES ? BLOCK_BYTES : need;
    int error = end_block(log);

    if (error || log->size == size)
        return error;
    free(log->current);
    log->current = malloc(size);
    log->size = log->current ? size : 0;
    return log->current ? 0 : ENOMEM;
}

/* ---- adding records ---- */

static size_t pad_length(uint64_t length)
{
    return ((size_t)length + 7) / 8 * 8;
}

void *strobe_record_log_reserve(StrobeRecordLog *log, size_t length)
{
    const uint64_t head = length;
    const size_t need = sizeof head + pad_length(length);
    char *at;

    if (!log || log->error)
        return NULL;
    if (need > log->size - log->used && (log->error = begin_block(log, need)) != 0)
        return NULL;
    at = log->current + log->used;
    memcpy(at, &head, sizeof head);
    log->used += need;
    log->n_records++;
    return at + sizeof head;
}

int strobe_record_log_add(StrobeRecordLog *log, const void *bytes, size_t length)
{
    void *at = strobe_record_log_reserve(log, length);

    if (at && length)
        memcpy(at, bytes, length);
    return strobe_record_log_error(log);
}

size_t strobe_record_log_mark(StrobeRecordLog *log)
{
    int error = log && !log->error ? end_block(log) : 0;

    if (error) /* stored only after a failure, because several threads may read a complete log at
                  the same time */
        log->error = error;
    return log ? log->n_blocks : 0;
}

/* ---- reading ---- */

StrobeRecordLogReader *strobe_record_log_read_part(StrobeRecordLog *log, size_t from, size_t until)
{
    StrobeRecordLogReader *reader = log ? calloc(1, sizeof *reader) : NULL;

    if (!reader)
        return NULL;
    reader->log = log;
    reader->next = from;
    reader->until = until;
    reader->error = log->error;
    return reader;
}

StrobeRecordLogReader *strobe_record_log_read(StrobeRecordLog *log)
{
    return strobe_record_log_read_part(log, 0, strobe_record_log_mark(log));
}

void strobe_record_log_reader_free(StrobeRecordLogReader *reader)
{
    if (!reader)
        return;
    free(reader->room);
    strobe_compression_free(reader->compression);
    free(reader);
}

int strobe_record_log_reader_error(const StrobeRecordLogReader *reader)
{
    return reader ? reader->error : ENOMEM;
}

static int decompress_block(StrobeRecordLogReader *reader, const Block *block, const char *stored)
{
    if (!reader->compression)
        reader->compression = strobe_compression_new();
    return strobe_decompress(reader->compression, reader->room, block->length, stored,
                             block->stored);
}

/* Reads a block from the file. Puts the stored bytes of a compressed block after the place for the
 * decompressed bytes. */
static int read_block(StrobeRecordLogReader *reader, const Block *block)
{
    const bool is_compressed = block->stored < block->length;
    const size_t need = block->length + (is_compressed ? block->stored : 0);
    char *stored;
    int64_t n;

    if (need > reader->room_size) {
        free(reader->room);
        reader->room = malloc(need);
        reader->room_size = reader->room ? need : 0;
    }
    if (!reader->room)
        return ENOMEM;
    stored = reader->room + need - block->stored;
    n = strobe_file_part_read(reader->log->file, block->offset, stored, block->stored);
    if (n < 0)
        return errno;
    if ((uint64_t)n < block->stored)
        return EIO;
    return is_compressed ? decompress_block(reader, block, stored) : 0;
}

static bool begin_next_block(StrobeRecordLogReader *reader)
{
    const Block *block;

    if (reader->error || reader->next >= reader->until)
        return false;
    block = &reader->log->blocks[reader->next++];
    if (!block->bytes)
        reader->error = read_block(reader, block);
    if (reader->error)
        return false;
    reader->at = block->bytes ? block->bytes : reader->room;
    reader->end = reader->at + block->length;
    return true;
}

void *strobe_record_log_next(StrobeRecordLogReader *reader, size_t *length)
{
    uint64_t head;
    char *record;

    if (!reader || (reader->at == reader->end && !begin_next_block(reader)))
        return NULL;
    memcpy(&head, reader->at, sizeof head);
    record = reader->at + sizeof head;
    reader->at = record + pad_length(head);
    *length = (size_t)head;
    return record;
}
