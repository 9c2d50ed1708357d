/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of the double, which the variable MSPTI_DOUBLE selects, see mspti-double.h. */
#ifndef STROBE_TESTS_MSPTI_FAULTS_H
#define STROBE_TESTS_MSPTI_FAULTS_H

/* Returns the text after the word in the variable, "" if there is none. NULL: the variable does not
 * have the word. */
const char *fault(const char *word);
/* Returns the code that this call must return; 0: it must succeed. */
int fault_of_call(const char *call);
/* Returns the code that enabling this kind must return; 0: it must succeed. */
int fault_of_kind(int kind);

#endif
