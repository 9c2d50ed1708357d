/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_PLUGINS_OPENCL_KERNELS_H
#define STROBE_PLUGINS_OPENCL_KERNELS_H

/* In a forked child: whoever held the table of names is not there. */
void opencl_kernels_after_fork(void);

#endif
