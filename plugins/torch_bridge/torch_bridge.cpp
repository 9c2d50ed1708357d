/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the bridge to PyTorch as one file, because reading libtorch's headers takes most of the
 * time. */
#include "torch_backend.cpp"
#include "torch_collectives.cpp"
#include "torch_memory.cpp"
#include "torch_tensors.cpp"
