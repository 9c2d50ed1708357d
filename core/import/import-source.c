/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the importer of a source. */
#include "import-source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "component-call.h"
#include "error.h"

static void free_source(gpointer data)
{
    StrobeImportSource *source = data;

    g_free(source->path);
    g_free(source->format);
    g_free(source);
}

gboolean strobe_source_open(StrobeSource *source, const char *path, guchar *head, GError **error)
{
    struct stat st;
    gssize n = 0;

    memset(source, 0, sizeof *source);
    source->struct_size = sizeof *source;
    source->path = path;
    source->head = head;
    source->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (source->descriptor < 0 || fstat(source->descriptor, &st)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot open %s: %s", path,
                    g_strerror(errno));
    } else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: neither a regular file nor a folder", path);
    } else {
        source->is_folder = S_ISDIR(st.st_mode);
        if (!source->is_folder)
            n = pread(source->descriptor, head, STROBE_SOURCE_HEAD, 0);
        source->n_head = n > 0 ? (guint32)n : 0;
        return TRUE;
    }
    strobe_source_close(source);
    return FALSE;
}

void strobe_source_close(StrobeSource *source)
{
    if (source->descriptor >= 0)
        close(source->descriptor);
    source->descriptor = -1;
}

/* Appends an importer's reason to `reasons`, unless it is already there: most entries of a folder
 * have the same reason. */
static void add_reason(GString *reasons, const char *importer, const char *reason)
{
    g_autofree char *whole = g_strdup_printf("; %s: %s", importer, reason);

    if (!strstr(reasons->str, whole))
        g_string_append(reasons, whole);
}

/* Returns the importer with the highest score for the source; NULL if none can read the source,
 * with the reasons appended to `reasons`. */
static const StrobeComponent *ask_all(StrobeRegistry *registry, const char *format,
                                      StrobeSource *source, const char **name, GString *reasons)
{
    GPtrArray *files = strobe_registry_scan(registry);
    const StrobeComponent *best = NULL;
    gint32 best_score = 0;

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);

        for (guint k = 0; !file->shadowed && file->plugin && k < file->plugin->n_components; k++) {
            const StrobeComponent *component = file->plugin->components[k];
            const StrobeImporterOps *ops = component->ops;
            StrobeSourceProbe answer = {.struct_size = sizeof answer};

            if (component->type != STROBE_COMPONENT_IMPORTER ||
                (format && strcmp(component->name, format)))
                continue;
            lseek(source->descriptor, 0, SEEK_SET);
            strobe_component_call_begin(component, "probe");
            ops->probe(source, &answer);
            strobe_component_call_end();
            if (answer.score > best_score) {
                best = component;
                best_score = answer.score;
                *name = answer.format ? answer.format : component->name;
            } else if (answer.score <= 0 && answer.reason) {
                add_reason(reasons, component->name, answer.reason);
            }
        }
    }
    return best;
}

static gboolean add_source(StrobeRegistry *registry, const char *path, const char *format,
                           GPtrArray *sources, gboolean *is_folder, GString *reasons,
                           GError **error)
{
    g_autofree guchar *head = g_malloc(STROBE_SOURCE_HEAD);
    const StrobeComponent *importer;
    StrobeSource source;
    const char *name = NULL;

    if (!strobe_source_open(&source, path, head, error))
        return FALSE;
    importer = ask_all(registry, format, &source, &name, reasons);
    *is_folder = source.is_folder != 0;
    if (importer) {
        StrobeImportSource *found = g_new0(StrobeImportSource, 1);

        found->path = g_strdup(path);
        found->importer = importer;
        found->format = g_strdup(name);
        g_ptr_array_add(sources, found);
    }
    strobe_source_close(&source);
    return TRUE;
}

static int compare_paths(gconstpointer a, gconstpointer b)
{
    return strcmp((*(StrobeImportSource *const *)a)->path, (*(StrobeImportSource *const *)b)->path);
}

/* Adds the sources in a folder; ignores entries that cannot be opened. */
static void add_children(StrobeRegistry *registry, const char *folder, const char *format,
                         GPtrArray *sources, GString *reasons)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(folder, name, NULL);
        gboolean is_folder;

        add_source(registry, child, format, sources, &is_folder, reasons, NULL);
    }
    g_ptr_array_sort(sources, compare_paths);
}

GPtrArray *strobe_import_find(StrobeRegistry *registry, const char *path, const char *format,
                              GError **error)
{
    g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(free_source);
    g_autoptr(GString) reasons = g_string_new(NULL);
    gboolean is_folder = FALSE;

    if (format && !strobe_registry_find(registry, STROBE_COMPONENT_IMPORTER, format, NULL, error))
        return NULL;
    if (!add_source(registry, path, format, sources, &is_folder, reasons, error))
        return NULL;
    if (sources->len == 0 && is_folder)
        add_children(registry, path, format, sources, reasons);
    if (sources->len)
        return g_steal_pointer(&sources);
    g_autofree char *nobody = format ? g_strdup_printf("importer %s does not read it", format)
                                     : g_strdup("no importer reads it");
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: %s%s%s", path, nobody,
                is_folder ? " or anything in it" : "", reasons->str);
    return NULL;
}
