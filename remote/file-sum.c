/* SPDX-License-Identifier: Apache-2.0 */
#include "file-sum.h"

#include <errno.h>
#include <unistd.h>

#include "posix-cksum.h"

#define CHUNK 65536

static char *compute_md5(int file, guint64 *n_bytes)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_MD5);
    g_autofree guchar *bytes = g_malloc(CHUNK);
    ssize_t n;

    *n_bytes = 0;
    while ((n = pread(file, bytes, CHUNK, (off_t)*n_bytes)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        g_checksum_update(sum, bytes, n);
        *n_bytes += (guint64)n;
    }
    return n == 0 ? g_strdup(g_checksum_get_string(sum)) : NULL;
}

char *strobe_file_sum(StrobeSumMethod method, int file, guint64 *n_bytes)
{
    guint32 crc;

    if (method == STROBE_SUM_MD5)
        return compute_md5(file, n_bytes);
    return strobe_cksum_file(file, &crc, n_bytes) ? g_strdup_printf("%u", crc) : NULL;
}

const char *strobe_file_sum_script(StrobeSumMethod method)
{
    if (method == STROBE_SUM_MD5)
        return "sum() { set -- $(md5sum <\"$1\") $(wc -c <\"$1\"); echo $1 $3; }\n"
               "sum_head() {\n"
               "    set -- $(head -c $2 \"$1\" 2>/dev/null | md5sum)"
               " $(head -c $2 \"$1\" 2>/dev/null | wc -c)\n"
               "    echo $1 $3\n"
               "}\n";
    return "sum() { set -- $(cksum <\"$1\"); echo $1 $2; }\n"
           "sum_head() { set -- $(head -c $2 \"$1\" 2>/dev/null | cksum); echo $1 $2; }\n";
}
