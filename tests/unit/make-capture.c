/* SPDX-License-Identifier: Apache-2.0 */
/* make-capture FILE RECORDS: makes a capture with RECORDS records, for tests of programs that read
 * captures. */
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
