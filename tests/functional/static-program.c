/* SPDX-License-Identifier: Apache-2.0 */
/* Linked statically: nothing can be loaded into it. */
#include <stdio.h>

int main(void)
{
    puts("static");
    return 0;
}
