/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PLUGINS_OPENCL_KERNELS_H
#define STROBE_PLUGINS_OPENCL_KERNELS_H

/* Call it in a forked child: the thread that held the table of names does not exist there. */
void opencl_kernels_after_fork(void);

#endif
