/* SPDX-License-Identifier: Apache-2.0 */
#include "npu-metadata.h"

#include <string.h>
#include <strobe/kinds.h>

void npu_metadata_entry_record(const StrobeHost *host, StrobeInstance *self, StrobeKindId metadata,
                               const char *key, const char *text)
{
    StrobeWriter *writer = host->writer(self);
    struct strobe_metadata *out;

    if (!writer)
        return;
    StrobeStringId name = host->intern(writer, key, strlen(key));
    StrobeStringId value = host->intern(writer, text, strlen(text));
    out = host->reserve(writer, metadata, 0, name, host->now(), 0);
    if (!out)
        return;
    out->value = value;
    out->is_json = 0;
    host->commit(writer);
}

void npu_diagnostic_record(const StrobeHost *host, StrobeInstance *self, StrobeKindId diagnostic,
                           const char *text)
{
    static const char component[] = "npu_task";
    StrobeWriter *writer = host->writer(self);
    struct strobe_diagnostic *out;

    if (!writer)
        return;
    StrobeStringId name = host->intern(writer, component, sizeof component - 1);
    StrobeStringId id = host->intern(writer, text, strlen(text));
    out = host->reserve(writer, diagnostic, 0, name, host->now(), 0);
    if (!out)
        return;
    out->text = id;
    out->level = STROBE_LOG_WARNING;
    host->commit(writer);
}
