/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page that draws the timeline: page.html with the data inserted. */
#include <page-escape.h>

#include "page-text.h"
#include "timeline-file.h"

#define PARTS 1500u /* about the maximum number of columns of a screen */

int timeline_write_page(const TimelineText *text, StrobeSafeFile *file)
{
    StrobeJsonWriter json;
    int error = strobe_safe_file_write(file, (const char *)page_head, sizeof page_head);

    strobe_json_init(&json, page_write_escaped, file, 0);
    timeline_write_data(text, PARTS, &json);
    if (!error)
        error = strobe_json_flush(&json);
    return error ? error : strobe_safe_file_write(file, (const char *)page_tail, sizeof page_tail);
}
