/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of a result: reads its capture, and runs passes and exporters on the records. */
#ifndef STROBE_CORE_PIPELINE_H
#define STROBE_CORE_PIPELINE_H

#include "config.h"
#include "consumer.h"
#include "filter.h"
#include "reader.h"
#include "registry.h"
#include "result.h"

typedef struct StrobePipeline StrobePipeline;

/* Makes a pipeline without exporters. The registry must outlive it. */
StrobePipeline *strobe_pipeline_new(StrobeRegistry *registry);
void strobe_pipeline_free(StrobePipeline *pipeline);

/* Adds an exporter by name with its options; fails for an unknown name or a wrong option. */
gboolean strobe_pipeline_add_exporter(StrobePipeline *pipeline, const StrobeConfigComponent *wanted,
                                      GError **error);

/* Adds a consumer that the caller implements (`strobe show`). */
gboolean strobe_pipeline_add_consumer(StrobePipeline *pipeline, const StrobeComponent *component,
                                      GError **error);

/* Sets options of a pass that a consumer may need. `wanted` must outlive the pipeline. Fails for
 * an unknown name; a wrong option is an error of the consumer that needs the pass. */
gboolean strobe_pipeline_set_pass(StrobePipeline *pipeline, const StrobeConfigComponent *wanted,
                                  GError **error);

/* Sets the generation of the file formats that exporters write, 1 to 3; 0 (the default): the
 * generation of the source for an import, 3 for a recording. */
void strobe_pipeline_set_generation(StrobePipeline *pipeline, gint generation);

/* Sets the filter: only records that pass the filter reach passes and consumers. NULL (the
 * default): all records. The filter counts records, and must outlive the runs. */
void strobe_pipeline_set_filter(StrobePipeline *pipeline, StrobeFilter *filter);

/* Called regularly with the finished fraction, 0..1, and the number of records read; for a
 * progress bar. */
typedef void (*StrobeProgress)(void *user, double share, guint64 n_records);
void strobe_pipeline_on_progress(StrobePipeline *pipeline, StrobeProgress function, void *user);

/* Sets the folder (an open descriptor) into which exporters write, and its path for messages. Both
 * must outlive the runs. */
void strobe_pipeline_set_output(StrobePipeline *pipeline, int folder, const char *path);

/* Recovers the capture if necessary, and streams it once through all consumers and the passes they
 * need. If an exporter fails, it leaves no file, the other consumers continue, and the call fails
 * with the exporter's name. May be called for several results in turn. */
gboolean strobe_pipeline_run(StrobePipeline *pipeline, const StrobeResult *result, GError **error);

/* Returns kind number `index` of the kinds that the capture of this run declares; NULL after the
 * last. Call it only during the run. */
const StrobeKindView *strobe_pipeline_kind(const StrobePipeline *pipeline, guint32 index);

/* Returns the number of records of one kind (number `index`) that a pass derived in the previous
 * run; NULL after the last kind. Valid until the next run. */
const StrobeDerivedCount *strobe_pipeline_derived(const StrobePipeline *pipeline, guint index);

/* Returns the statistics of the capture of the last run. */
const StrobeReaderStats *strobe_pipeline_stats(const StrobePipeline *pipeline);
/* Returns one text for each damaged place in the capture of the last run; NULL-terminated. */
const char *const *strobe_pipeline_damage(const StrobePipeline *pipeline);

#endif
