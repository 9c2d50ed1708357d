/* SPDX-License-Identifier: Apache-2.0 */
/* How the double is to go wrong, as the variable MSPTI_DOUBLE says: see mspti-double.h. */
#ifndef STROBE_TESTS_MSPTI_FAULTS_H
#define STROBE_TESTS_MSPTI_FAULTS_H

/* What follows the word, "" if nothing does; NULL: the word is not there. */
const char *fault(const char *word);
/* The code that this call is to return, 0: it is to succeed. */
int fault_of_call(const char *call);
/* ... that enabling this kind is to return. */
int fault_of_kind(int kind);

#endif
