/* SPDX-License-Identifier: Apache-2.0 */
#include "told-facts.h"

#include "../ascend_text/facts.h"
#include "../common/foreign-folder.h"
#include "../common/side-json.h"

#define GENERATION 3 /* raw files have none: what is made of them is of the newest */

int32_t told_facts_import(const StrobeImporterHost *host, StrobeInstance *self, int top,
                          const char *path, int64_t pid, int64_t begin_ns)
{
    static const char *const files[] = {"profiler_info", "profiler_metadata"};
    g_autoptr(GPtrArray) names = foreign_folder_names(top);
    Import import;
    Facts facts;

    import_init(&import, host, self);
    import.pid = pid;
    facts_init(&facts, &import, path);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        const char *name = foreign_folder_find(names, top, files[i]);
        gsize length;
        g_autofree char *bytes =
            name ? foreign_folder_read(top, name, SIDE_JSON_BYTES_MAX, &length) : NULL;

        if (bytes)
            facts_take(&facts, name, bytes, length);
    }
    facts_settle(&facts);
    if (begin_ns > 0)
        import.begin_ns = begin_ns;
    facts_tell(&facts);
    host->fact_int(self, "generation", GENERATION);
    facts_clear(&facts);
    import_clear(&import);
    return import.rank;
}
