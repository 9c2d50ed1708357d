/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as torch_npu's raw files describe them, in texts: for each one
 * "object;storage;type;bytes of an element;sizes;strides;sort of device;device". */
#ifndef STROBE_MEMORY_TIMELINE_FOREIGN_TENSORS_H
#define STROBE_MEMORY_TIMELINE_FOREIGN_TENSORS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct ForeignTensor {
    guint64 address; /* of its storage */
    guint64 bytes;   /* of the tensor */
    gint32 device;   /* -1: the host */
} ForeignTensor;

/* The next tensor of a text; `text` goes on behind it. FALSE: there is none. What cannot be read is
 * left out. */
gboolean foreign_tensor_next(StrobeText *text, ForeignTensor *tensor);

/* Does an operator of this name write to its first tensor ("aten::add_")? Raw files do not say. */
gboolean foreign_operator_writes(const char *name);

#endif
