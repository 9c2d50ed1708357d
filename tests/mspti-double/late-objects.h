/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that the library makes at their first use, and destroys at exit in reverse order.
 * Functions that were registered with atexit before an object was made are called after its
 * destruction. A call of the library after the destruction of an object ends the process. */
#ifndef STROBE_TESTS_MSPTI_LATE_OBJECTS_H
#define STROBE_TESTS_MSPTI_LATE_OBJECTS_H

enum {
    LATE_MANAGER, /* made by any call */
    LATE_FLUSH,   /* made by the first msptiActivityFlushAll */
    LATE_RECORDS, /* made by the first record of each kind; the number is LATE_RECORDS + the kind */
    LATE_OBJECTS = LATE_RECORDS + 16
};

/* Makes the object if it does not exist yet. Aborts if any object has been destroyed. */
void late_object_use(int which);

#endif
