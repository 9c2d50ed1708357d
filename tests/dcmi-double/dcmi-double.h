/* SPDX-License-Identifier: Apache-2.0 */
/* A test double of libdcmi.so with its ABI. It shares no header with the code under test, but has
 * the layouts again, as offsets in bytes. A test loads the same file, and controls it through the
 * struct that dcmi_double() returns. */
#ifndef STROBE_TESTS_DCMI_DOUBLE_H
#define STROBE_TESTS_DCMI_DOUBLE_H

#include <stdint.h>

enum { DOUBLE_LINKS = 16, DOUBLE_PCIE_WORDS = 21, DOUBLE_NET_WORDS = 58 };

typedef struct DcmiDouble {
    int n_cards, n_in_card;
    int hccs_64, hccs_32, hccs_measured, pcie, net; /* status of each call */
    int block_ms;                                   /* additional duration of each call */
    /* numbers of flits that were sent and received on each link */
    uint64_t tx[DOUBLE_LINKS], rx[DOUBLE_LINKS];
    double total_tx, total_rx; /* GiB/s, the sums of all links, as in the original */
    uint32_t pcie_words[DOUBLE_PCIE_WORDS];
    uint64_t net_words[DOUBLE_NET_WORDS];
    int n_calls;   /* number of calls for the metrics */
    int last_time; /* duration of the measurement that the last caller requested, in ms */
} DcmiDouble;

typedef DcmiDouble *DcmiDoubleFunction(void);

#endif
