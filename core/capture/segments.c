/* SPDX-License-Identifier: Apache-2.0 */
#include "segments.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"

#define PREFIX "capture."
#define SUFFIX ".strobe"

/* ---- names ---- */

char *strobe_segment_name(guint32 number)
{
    return g_strdup_printf(STROBE_SEGMENT_FORMAT, number);
}

guint32 strobe_segment_number(const char *name)
{
    guint64 number;

    if (strcmp(name, STROBE_CAPTURE_NAME) == 0)
        return STROBE_SEGMENT_NUMBER_MAX + 1;
    if (!g_str_has_prefix(name, PREFIX) || !g_str_has_suffix(name, SUFFIX) ||
        strlen(name) < strlen(PREFIX SUFFIX))
        return 0;
    const char *digits = name + strlen(PREFIX);
    g_autofree char *text = g_strndup(digits, strlen(digits) - strlen(SUFFIX));
    if (strlen(text) < 5 ||
        !g_ascii_string_to_unsigned(text, 10, 1, STROBE_SEGMENT_NUMBER_MAX, &number, NULL))
        return 0;
    return (guint32)number;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    guint32 x = strobe_segment_number(*(char *const *)a),
            y = strobe_segment_number(*(char *const *)b);

    return x < y ? -1 : x > y;
}

char **strobe_segments_list(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new();
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (strobe_segment_number(name) && g_file_test(path, G_FILE_TEST_IS_REGULAR))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static gboolean has_segments(const char *folder)
{
    g_auto(GStrv) names = strobe_segments_list(folder);
    return names[0] != NULL;
}

char *strobe_segments_folder(const char *directory)
{
    g_autofree char *framework = g_build_filename(directory, STROBE_FRAMEWORK_DIR, NULL);

    if (has_segments(framework))
        return g_steal_pointer(&framework);
    return has_segments(directory) ? g_strdup(directory) : NULL;
}

/* ---- files ---- */

struct segment {
    char *path, *name;
    guint64 size;
    dev_t device;
    ino_t inode;
};

struct StrobeSegments {
    GArray *segments; /* of struct segment */
    int newest; /* descriptor of the last segment, kept open because a rotation gives its name to
                   another file */
    int other;  /* descriptor of the segment `other_index`, -1: none */
    guint other_index;
    int external; /* descriptor of the external data, -1: none */
    guint64 external_size;
};

static void clear_segment(gpointer data)
{
    struct segment *segment = data;

    g_free(segment->path);
    g_free(segment->name);
}

/* Opens the segment's file, which must be a regular file, and stores its size and identity. Returns
 * -1 with an error. */
static int open_segment(struct segment *segment, GError **error)
{
    struct stat st;
    int fd = open(segment->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot open %s: %s", segment->path,
                    g_strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: not a regular file",
                    segment->path);
    } else {
        segment->size = (guint64)st.st_size;
        segment->device = st.st_dev;
        segment->inode = st.st_ino;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static struct segment segment_at(char *path)
{
    return (struct segment){.path = path, .name = g_path_get_basename(path)};
}

static struct segment *get_segment(const StrobeSegments *segments, guint index)
{
    return &g_array_index(segments->segments, struct segment, index);
}

/* Adds the earlier segments before the newest. If the program rotates meanwhile, the opened newest
 * segment gets a number; segments with this or a higher number are not added. */
static void add_earlier(StrobeSegments *segments, const char *folder)
{
    g_auto(GStrv) names = strobe_segments_list(folder);
    struct segment newest = *get_segment(segments, 0);

    for (guint i = 0; names[i]; i++) {
        if (strcmp(names[i], newest.name) == 0)
            break;
        struct segment segment = segment_at(g_build_filename(folder, names[i], NULL));
        int fd = open_segment(&segment, NULL);
        if (fd >= 0)
            close(fd);
        if (fd < 0 || (segment.device == newest.device && segment.inode == newest.inode)) {
            clear_segment(&segment);
            if (fd >= 0)
                break;
            continue; /* a rotation has removed the file meanwhile */
        }
        g_array_insert_val(segments->segments, segments->segments->len - 1, segment);
    }
}

static void open_external(StrobeSegments *segments, const char *folder)
{
    struct segment segment = segment_at(g_build_filename(folder, STROBE_EXTERNAL_NAME, NULL));

    segments->external = open_segment(&segment, NULL);
    segments->external_size = segment.size;
    clear_segment(&segment);
}

/* Returns the path of the first file to open: `path` itself, or the newest segment below it. */
static char *newest_path(const char *path, char **folder, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_IS_DIR))
        return g_strdup(path);
    *folder = strobe_segments_folder(path);
    if (!*folder) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: no capture in it: expected " STROBE_FRAMEWORK_DIR "/" STROBE_CAPTURE_NAME,
                    path);
        return NULL;
    }
    g_auto(GStrv) names = strobe_segments_list(*folder);
    guint n = g_strv_length(names);
    return g_build_filename(*folder, n ? names[n - 1] : STROBE_CAPTURE_NAME, NULL);
}

/* Opens the newest segment. Returns its descriptor, or -1 with an error. */
static int open_newest(const char *path, struct segment *newest, char **folder, GError **error)
{
    char *first = newest_path(path, folder, error);

    if (!first)
        return -1;
    *newest = segment_at(first);
    int fd = open_segment(newest, error);
    if (fd < 0)
        clear_segment(newest);
    return fd;
}

StrobeSegments *strobe_segments_open(const char *path, GError **error)
{
    g_autofree char *folder = NULL;
    g_autoptr(GError) failure = NULL;
    struct segment newest;
    int fd = open_newest(path, &newest, &folder, &failure);

    if (fd < 0 && folder) { /* a rotation is renaming the file at this moment */
        g_clear_error(&failure);
        g_clear_pointer(&folder, g_free);
        fd = open_newest(path, &newest, &folder, &failure);
    }
    if (fd < 0) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return NULL;
    }
    StrobeSegments *segments = g_new0(StrobeSegments, 1);
    segments->segments = g_array_new(FALSE, FALSE, sizeof(struct segment));
    g_array_set_clear_func(segments->segments, clear_segment);
    g_array_append_val(segments->segments, newest);
    segments->newest = fd;
    segments->other = segments->external = -1;
    if (folder) {
        add_earlier(segments, folder);
        open_external(segments, folder);
    }
    return segments;
}

void strobe_segments_free(StrobeSegments *segments)
{
    if (!segments)
        return;
    close(segments->newest);
    if (segments->other >= 0)
        close(segments->other);
    if (segments->external >= 0)
        close(segments->external);
    g_array_unref(segments->segments);
    g_free(segments);
}

guint strobe_segments_count(const StrobeSegments *segments)
{
    return segments->segments->len;
}

const char *strobe_segments_name(const StrobeSegments *segments, guint index)
{
    return get_segment(segments, index)->name;
}

guint64 strobe_segments_size(const StrobeSegments *segments, guint index)
{
    return get_segment(segments, index)->size;
}

int strobe_segments_external(const StrobeSegments *segments, guint64 *size)
{
    *size = segments->external_size;
    return segments->external;
}

int strobe_segments_descriptor(StrobeSegments *segments, guint index, GError **error)
{
    if (index == segments->segments->len - 1)
        return segments->newest;
    if (segments->other >= 0 && segments->other_index == index)
        return segments->other;
    if (segments->other >= 0)
        close(segments->other);
    struct segment now = *get_segment(segments, index);
    segments->other = open_segment(&now, error);
    segments->other_index = index;
    if (segments->other >= 0 && (now.device != get_segment(segments, index)->device ||
                                 now.inode != get_segment(segments, index)->inode)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: another file has this name now",
                    now.path);
        close(segments->other);
        segments->other = -1;
    }
    return segments->other;
}
