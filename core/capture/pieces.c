/* SPDX-License-Identifier: Apache-2.0 */
#include "pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"

#define PREFIX "capture."
#define SUFFIX ".strobe"

/* ---- names ---- */

char *strobe_piece_name(guint32 number)
{
    return g_strdup_printf(STROBE_PIECE_FORMAT, number);
}

guint32 strobe_piece_number(const char *name)
{
    guint64 number;

    if (strcmp(name, STROBE_CAPTURE_NAME) == 0)
        return STROBE_PIECE_NUMBER_MAX + 1;
    if (!g_str_has_prefix(name, PREFIX) || !g_str_has_suffix(name, SUFFIX) ||
        strlen(name) < strlen(PREFIX SUFFIX))
        return 0;
    const char *digits = name + strlen(PREFIX);
    g_autofree char *text = g_strndup(digits, strlen(digits) - strlen(SUFFIX));
    if (strlen(text) < 5 ||
        !g_ascii_string_to_unsigned(text, 10, 1, STROBE_PIECE_NUMBER_MAX, &number, NULL))
        return 0;
    return (guint32)number;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    guint32 x = strobe_piece_number(*(char *const *)a), y = strobe_piece_number(*(char *const *)b);

    return x < y ? -1 : x > y;
}

char **strobe_pieces_list(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new();
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (strobe_piece_number(name) && g_file_test(path, G_FILE_TEST_IS_REGULAR))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static gboolean has_pieces(const char *folder)
{
    g_auto(GStrv) names = strobe_pieces_list(folder);
    return names[0] != NULL;
}

char *strobe_pieces_folder(const char *directory)
{
    g_autofree char *framework = g_build_filename(directory, STROBE_FRAMEWORK_DIR, NULL);

    if (has_pieces(framework))
        return g_steal_pointer(&framework);
    return has_pieces(directory) ? g_strdup(directory) : NULL;
}

/* ---- files ---- */

struct piece {
    char *path, *name;
    guint64 size;
    dev_t device;
    ino_t inode;
};

struct StrobePieces {
    GArray *pieces; /* of struct piece */
    int newest;     /* descriptor of the last piece: its name will be another's */
    int other;      /* descriptor of the piece `other_index`, -1: none */
    guint other_index;
    int foreign; /* descriptor, -1: none */
    guint64 foreign_size;
};

static void clear_piece(gpointer data)
{
    struct piece *piece = data;

    g_free(piece->path);
    g_free(piece->name);
}

/* Opens a file and looks at it; -1 with an error. */
static int open_piece(struct piece *piece, GError **error)
{
    struct stat st;
    int fd = open(piece->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot open %s: %s", piece->path,
                    g_strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: not a regular file", piece->path);
    } else {
        piece->size = (guint64)st.st_size;
        piece->device = st.st_dev;
        piece->inode = st.st_ino;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static struct piece piece_at(char *path)
{
    return (struct piece){.path = path, .name = g_path_get_basename(path)};
}

static struct piece *get(const StrobePieces *pieces, guint index)
{
    return &g_array_index(pieces->pieces, struct piece, index);
}

/* Puts the earlier pieces before the newest. A program that rotates meanwhile gives that one a
 * number: what then has this number or a higher one came later than what was opened. */
static void add_earlier(StrobePieces *pieces, const char *folder)
{
    g_auto(GStrv) names = strobe_pieces_list(folder);
    struct piece newest = *get(pieces, 0);

    for (guint i = 0; names[i]; i++) {
        if (strcmp(names[i], newest.name) == 0)
            break;
        struct piece piece = piece_at(g_build_filename(folder, names[i], NULL));
        int fd = open_piece(&piece, NULL);
        if (fd >= 0)
            close(fd);
        if (fd < 0 || (piece.device == newest.device && piece.inode == newest.inode)) {
            clear_piece(&piece);
            if (fd >= 0)
                break;
            continue; /* rolled away meanwhile */
        }
        g_array_insert_val(pieces->pieces, pieces->pieces->len - 1, piece);
    }
}

static void open_foreign(StrobePieces *pieces, const char *folder)
{
    struct piece piece = piece_at(g_build_filename(folder, STROBE_FOREIGN_NAME, NULL));

    pieces->foreign = open_piece(&piece, NULL);
    pieces->foreign_size = piece.size;
    clear_piece(&piece);
}

/* Path of the file to begin with: `path` itself, or the newest piece below it. */
static char *newest_path(const char *path, char **folder, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_IS_DIR))
        return g_strdup(path);
    *folder = strobe_pieces_folder(path);
    if (!*folder) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: no capture in it: expected " STROBE_FRAMEWORK_DIR "/" STROBE_CAPTURE_NAME,
                    path);
        return NULL;
    }
    g_auto(GStrv) names = strobe_pieces_list(*folder);
    guint n = g_strv_length(names);
    return g_build_filename(*folder, n ? names[n - 1] : STROBE_CAPTURE_NAME, NULL);
}

/* Opens the file to begin with; -1 with an error. */
static int open_newest(const char *path, struct piece *newest, char **folder, GError **error)
{
    char *first = newest_path(path, folder, error);

    if (!first)
        return -1;
    *newest = piece_at(first);
    int fd = open_piece(newest, error);
    if (fd < 0)
        clear_piece(newest);
    return fd;
}

StrobePieces *strobe_pieces_open(const char *path, GError **error)
{
    g_autofree char *folder = NULL;
    g_autoptr(GError) failure = NULL;
    struct piece newest;
    int fd = open_newest(path, &newest, &folder, &failure);

    if (fd < 0 && folder) { /* between its two names, when it is rotated just now */
        g_clear_error(&failure);
        g_clear_pointer(&folder, g_free);
        fd = open_newest(path, &newest, &folder, &failure);
    }
    if (fd < 0) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return NULL;
    }
    StrobePieces *pieces = g_new0(StrobePieces, 1);
    pieces->pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
    g_array_set_clear_func(pieces->pieces, clear_piece);
    g_array_append_val(pieces->pieces, newest);
    pieces->newest = fd;
    pieces->other = pieces->foreign = -1;
    if (folder) {
        add_earlier(pieces, folder);
        open_foreign(pieces, folder);
    }
    return pieces;
}

void strobe_pieces_free(StrobePieces *pieces)
{
    if (!pieces)
        return;
    close(pieces->newest);
    if (pieces->other >= 0)
        close(pieces->other);
    if (pieces->foreign >= 0)
        close(pieces->foreign);
    g_array_unref(pieces->pieces);
    g_free(pieces);
}

guint strobe_pieces_count(const StrobePieces *pieces)
{
    return pieces->pieces->len;
}

const char *strobe_pieces_name(const StrobePieces *pieces, guint index)
{
    return get(pieces, index)->name;
}

guint64 strobe_pieces_size(const StrobePieces *pieces, guint index)
{
    return get(pieces, index)->size;
}

int strobe_pieces_foreign(const StrobePieces *pieces, guint64 *size)
{
    *size = pieces->foreign_size;
    return pieces->foreign;
}

int strobe_pieces_descriptor(StrobePieces *pieces, guint index, GError **error)
{
    if (index == pieces->pieces->len - 1)
        return pieces->newest;
    if (pieces->other >= 0 && pieces->other_index == index)
        return pieces->other;
    if (pieces->other >= 0)
        close(pieces->other);
    struct piece now = *get(pieces, index);
    pieces->other = open_piece(&now, error);
    pieces->other_index = index;
    if (pieces->other >= 0 &&
        (now.device != get(pieces, index)->device || now.inode != get(pieces, index)->inode)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: another file by now", now.path);
        close(pieces->other);
        pieces->other = -1;
    }
    return pieces->other;
}
