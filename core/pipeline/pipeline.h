/* SPDX-License-Identifier: Apache-2.0 */
/* The right-hand half: reader, passes, exporters. */
#ifndef STROBE_CORE_PIPELINE_H
#define STROBE_CORE_PIPELINE_H

#include "config.h"
#include "consumer.h"
#include "filter.h"
#include "reader.h"
#include "registry.h"
#include "result.h"

typedef struct StrobePipeline StrobePipeline;

/* The registry must outlive the pipeline. */
StrobePipeline *strobe_pipeline_new(StrobeRegistry *registry);
void strobe_pipeline_free(StrobePipeline *pipeline);

/* Adds an exporter by name with its options; fails on an unknown name or a wrong option. */
gboolean strobe_pipeline_add_exporter(StrobePipeline *pipeline, const StrobeConfigComponent *wanted,
                                      GError **error);

/* Adds a consumer of the caller's own (`strobe show`). Its ops' open is given the instance. */
gboolean strobe_pipeline_add_consumer(StrobePipeline *pipeline, const StrobeComponent *component,
                                      GError **error);

/* Options of a pass, for the case that a consumer added later needs it. `wanted` must outlive the
 * pipeline. Fails on an unknown name; a wrong option is an error of the consumer that needs it. */
gboolean strobe_pipeline_set_pass(StrobePipeline *pipeline, const StrobeConfigComponent *wanted,
                                  GError **error);

/* Generation of the file formats that exporters write, 1 to 3; 0 (the default): that of the source
 * of an import, 3 for what was recorded. */
void strobe_pipeline_set_generation(StrobePipeline *pipeline, gint generation);

/* Lets only records that pass the filter reach passes and consumers; NULL (the default): all. The
 * filter counts records, and must outlive the runs. */
void strobe_pipeline_set_filter(StrobePipeline *pipeline, StrobeFilter *filter);

/* Called now and then with the share done, 0..1, and the records that came by; for a progress bar.
 */
typedef void (*StrobeProgress)(void *user, double share, guint64 n_records);
void strobe_pipeline_on_progress(StrobePipeline *pipeline, StrobeProgress function, void *user);

/* The open folder that exporters write to, and its path, for messages. Both must outlive the runs.
 */
void strobe_pipeline_set_output(StrobePipeline *pipeline, int folder, const char *path);

/* Recovers the capture if need be, streams it once through all consumers and the passes they need.
 * An exporter that fails leaves no file; the others go on; the call then fails, naming it. May be
 * called for one result after another. */
gboolean strobe_pipeline_run(StrobePipeline *pipeline, const StrobeResult *result, GError **error);

/* The kinds that the capture of this run declares; NULL beyond the last. While it runs. */
const StrobeKindView *strobe_pipeline_kind(const StrobePipeline *pipeline, guint32 index);

/* What the passes derived in the run before, kind by kind; NULL beyond the last. Valid until the
 * next run. */
const StrobeDerivedCount *strobe_pipeline_derived(const StrobePipeline *pipeline, guint index);

/* Statistics of the capture that was run last. */
const StrobeReaderStats *strobe_pipeline_stats(const StrobePipeline *pipeline);
/* One text per damaged place of the capture that was run last; NULL-terminated. */
const char *const *strobe_pipeline_damage(const StrobePipeline *pipeline);

#endif
