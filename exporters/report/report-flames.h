/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the largest call paths, for the flame graphs. */
#ifndef STROBE_REPORT_FLAMES_H
#define STROBE_REPORT_FLAMES_H

#include "report-cells.h"

#define REPORT_PATHS_MAX 2000u /* maximum number of paths for each source */
/* maximum number of frames of a path; only the innermost frames are kept */
#define REPORT_DEPTH_MAX 96u
#define REPORT_FRAMES_MAX 60000u /* maximum number of frames of all paths together */

typedef struct ReportFlames ReportFlames;

ReportFlames *report_flames_new(const ReportSource *source);
void report_flames_free(ReportFlames *flames);
void report_flames_add(ReportFlames *flames, const StrobeView *record);
/* Writes {frames: [text], sources: [{name, unit, paths: [[value, frame ...]], rest, left_out}]}. In
 * a path the outermost frame comes first. */
void report_flames_write(ReportFlames *flames, StrobeJsonWriter *json);

#endif
