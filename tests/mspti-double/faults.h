/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of the double, which the variable MSPTI_DOUBLE selects: see mspti-double.h. */
#ifndef STROBE_TESTS_MSPTI_FAULTS_H
#define STROBE_TESTS_MSPTI_FAULTS_H

/* The text after the word, "" if there is none; NULL: the variable lacks the word. */
const char *fault(const char *word);
/* The code that this call must return; 0: it must succeed. */
int fault_of_call(const char *call);
/* The code that enabling this kind must return. */
int fault_of_kind(int kind);

#endif
