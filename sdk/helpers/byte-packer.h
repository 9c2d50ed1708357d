/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes in fewer bytes, as fast as a disk takes them: what repeats within a block is written as a
 * reference to where it was. For temporary files; no format of files that stay. No part of the
 * interface.
 */
#ifndef STROBE_HELPERS_BYTE_PACKER_H
#define STROBE_HELPERS_BYTE_PACKER_H

#include <stddef.h>

/* The most bytes that are packed at once. */
#define STROBE_PACK_BLOCK ((size_t)32 * 1024)
/* Room that packing so many bytes may need: texts that do not repeat grow a little. */
#define STROBE_PACK_ROOM(n) ((n) + (n) / 128 + 32)

/* Packs `n` bytes, STROBE_PACK_BLOCK at most, to where STROBE_PACK_ROOM(n) are free. Returns how
 * many they are then. */
size_t strobe_pack(const void *bytes, size_t n, void *packed);
/* The reverse: 0 when the packed bytes are those of exactly `n`, else EILSEQ; nothing is read or
 * written beyond the two lengths. */
int strobe_unpack(const void *packed, size_t length, void *bytes, size_t n);

#endif
