/* SPDX-License-Identifier: Apache-2.0 */
/* make-capture FILE RECORDS: a capture of that many records, for tests of what reads it. */
#include "made-capture.h"

int main(int argc, char **argv)
{
    guint64 n = 0;

    if (argc != 3 || !g_ascii_string_to_unsigned(argv[2], 10, 1, G_MAXINT64, &n, NULL)) {
        g_printerr("usage: make-capture FILE RECORDS\n");
        return 2;
    }
    made_capture_load(argv[1], n);
    return 0;
}
