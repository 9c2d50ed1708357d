/* SPDX-License-Identifier: Apache-2.0 */
#include "report-numbers.h"

ReportNumbers report_numbers_new(void)
{
    return (ReportNumbers){g_hash_table_new(g_direct_hash, g_direct_equal),
                           g_array_new(FALSE, FALSE, sizeof(guint32))};
}

void report_numbers_free(ReportNumbers *numbers)
{
    g_hash_table_unref(numbers->numbers);
    g_array_unref(numbers->ids);
}

guint report_number_of(ReportNumbers *numbers, guint32 id)
{
    gpointer known = g_hash_table_lookup(numbers->numbers, GUINT_TO_POINTER(id));

    if (known)
        return GPOINTER_TO_UINT(known) - 1;
    g_array_append_val(numbers->ids, id);
    g_hash_table_insert(numbers->numbers, GUINT_TO_POINTER(id),
                        GUINT_TO_POINTER(numbers->ids->len));
    return numbers->ids->len - 1;
}
