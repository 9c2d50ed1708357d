/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a capture. Most captures are one file, capture.strobe; one that was rotated has
 * earlier pieces beside it, capture.00001.strobe, capture.00002.strobe ..., each a capture by
 * itself. Older ones may have been removed.
 */
#ifndef STROBE_CORE_PIECES_H
#define STROBE_CORE_PIECES_H

#include <glib.h>
#include "capture-format.h"

#define STROBE_FRAMEWORK_DIR "FRAMEWORK"
#define STROBE_PIECE_NUMBER_MAX 999999999u

/* Base name of the piece that was the `number`th, from 1, to be put aside (free it). */
char *strobe_piece_name(guint32 number);
/* Its number; STROBE_PIECE_NUMBER_MAX + 1 for the newest (capture.strobe), 0 if the base name is no
 * piece's. */
guint32 strobe_piece_number(const char *name);

/* The folder in which `directory`, a result directory or a folder of pieces, has its pieces; NULL
 * if it has none (free it). */
char *strobe_pieces_folder(const char *directory);
/* Base names in such a folder, oldest first; NULL-terminated (g_strfreev). */
char **strobe_pieces_list(const char *folder);

/* Pieces that are being read. */
typedef struct StrobePieces StrobePieces;

/* `path` is one capture file, or a directory as strobe_pieces_folder takes. */
StrobePieces *strobe_pieces_open(const char *path, GError **error);
void strobe_pieces_free(StrobePieces *pieces);

guint strobe_pieces_count(const StrobePieces *pieces);
/* Base name and bytes of a piece, oldest first. */
const char *strobe_pieces_name(const StrobePieces *pieces, guint index);
guint64 strobe_pieces_size(const StrobePieces *pieces, guint index);
/* Descriptor of the file of what others recorded in this window (STROBE_FOREIGN_NAME), -1: there is
 * none, or a file and no folder was named; owned by the pieces. */
int strobe_pieces_foreign(const StrobePieces *pieces, guint64 *size);
/* Descriptor of a piece, valid until the next call; -1 if it has been removed since or cannot be
 * read. */
int strobe_pieces_descriptor(StrobePieces *pieces, guint index, GError **error);

#endif
