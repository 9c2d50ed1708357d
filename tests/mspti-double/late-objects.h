/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that the library makes at their first use and destroys at exit, in reverse order:
 * whatever was registered with atexit before is called when they are gone. A call of the library
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

/* Makes the object where it is not there. Aborts where any object is gone. */
void late_object_use(int which);

#endif
