/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that the library makes at their first use and destroys at exit, in reverse order:
 * functions that were registered with atexit earlier are called after that. A call of the library
 * after that ends the process.
 */
#ifndef STROBE_TESTS_MSPTI_LATE_OBJECTS_H
#define STROBE_TESTS_MSPTI_LATE_OBJECTS_H

enum {
    LATE_MANAGER, /* any call */
    LATE_FLUSH,   /* the first msptiActivityFlushAll */
    LATE_RECORDS, /* the first record; + its kind */
    LATE_OBJECTS = LATE_RECORDS + 16
};

/* Makes the object if it does not exist yet. Aborts if any object has been destroyed. */
void late_object_use(int which);

#endif
