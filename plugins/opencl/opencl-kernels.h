/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PLUGINS_OPENCL_KERNELS_H
#define STROBE_PLUGINS_OPENCL_KERNELS_H

/* Must be called in a forked child, because the thread that held the lock of the table of names
 * does not exist there. */
void opencl_kernels_after_fork(void);

#endif
