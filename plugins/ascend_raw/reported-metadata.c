/* SPDX-License-Identifier: Apache-2.0 */
#include "reported-metadata.h"

#include "../ascend_text/ascend-text-metadata.h"
#include <external-folder.h>
#include <side-json.h>

/* raw files do not depend on a generation, so exports from them use the newest format */
#define GENERATION 3

int32_t reported_metadata_import(const StrobeImporterHost *host, StrobeInstance *self, int top,
                                 const char *path, int64_t pid, int64_t begin_ns)
{
    static const char *const files[] = {"profiler_info", "profiler_metadata"};
    g_autoptr(GPtrArray) names = external_folder_names(top);
    Import import;
    Metadata metadata;

    import_init(&import, host, self);
    import.pid = pid;
    metadata_init(&metadata, &import, path);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        const char *name = external_folder_find(names, top, files[i]);
        gsize length;
        g_autofree char *bytes =
            name ? external_folder_read(top, name, SIDE_JSON_BYTES_MAX, &length) : NULL;

        if (bytes)
            metadata_take(&metadata, name, bytes, length);
    }
    metadata_finish(&metadata);
    if (begin_ns > 0)
        import.begin_ns = begin_ns;
    metadata_tell(&metadata);
    host->metadata_int(self, "generation", GENERATION);
    metadata_clear(&metadata);
    import_clear(&import);
    return import.rank;
}
