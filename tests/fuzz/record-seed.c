/* SPDX-License-Identifier: Apache-2.0 */
/* record-seed FOLDER COLLECTORS: records one small window with the collectors given in JSON and a
 * few marks, and prints the capture's path. */
#include <glib.h>
#include <strobe/strobe.h>

static void record(StrobeSession *session)
{
    StrobeRange range = strobe_range_begin_argument("outer \"range\"", 7);

    strobe_mark("hostile \n\xff name");
    strobe_counter("counter", 1.5);
    strobe_range_end(range);
    strobe_range_begin("left open");
    strobe_session_stop(session, NULL);
    g_print("%s/FRAMEWORK/capture.strobe\n", strobe_session_directory(session));
}

int main(int argc, char **argv)
{
    StrobeSession *session = NULL;
    StrobeError *error = NULL;

    if (argc != 3) {
        g_printerr("usage: record-seed FOLDER COLLECTORS\n");
        return 2;
    }
    g_autofree char *config =
        g_strdup_printf("{\"collectors\": %s, \"buffer\": {\"size\": \"8MB\"},"
                        " \"output\": {\"directory\": \"%s\", \"worker\": \"seed\"}}",
                        argv[2], argv[1]);
    if (strobe_session_new(config, "record-seed", &session, &error) ||
        strobe_session_start(session, &error)) {
        g_printerr("record-seed: %s\n", strobe_error_message(error));
        return 1;
    }
    record(session);
    strobe_session_free(session);
    return 0;
}
