/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device management interface of Ascend hosts (libdcmi.so), loaded at run time. The structs
 * have the layouts of the vendor's ABI. A call may block for 2 s, so make calls only on a worker
 * (worker.h). Since 1.0.
 */
#ifndef STROBE_HELPERS_DCMI_H
#define STROBE_HELPERS_DCMI_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_DCMI_DEVICES_MAX 64
#define STROBE_DCMI_LINKS 16
#define STROBE_DCMI_FLIT 20 /* bytes of a flit, the unit in which HCCS traffic is counted */

enum {
    STROBE_DCMI_OK = 0,
    STROBE_DCMI_INVALID = -8001,
    STROBE_DCMI_NOT_PERMITTED = -8002,
    STROBE_DCMI_BAD_DEVICE = -8007,
    STROBE_DCMI_NO_DEVICE = -8008,
    STROBE_DCMI_NOT_IN_CONTAINER = -8013,
    STROBE_DCMI_OCCUPIED = -8020, /* a profiler of the vendor is using the device */
    STROBE_DCMI_NOT_SUPPORTED = -8255
};

/* Result of dcmi_get_device_info(16, 5): totals for each link, in flits. */
typedef struct StrobeDcmiHccs {
    uint64_t tx[STROBE_DCMI_LINKS], rx[STROBE_DCMI_LINKS];
    uint64_t crc_errors[STROBE_DCMI_LINKS], retries[STROBE_DCMI_LINKS];
    uint8_t reserved[512];
} StrobeDcmiHccs;

/* Result of dcmi_get_device_info(16, 3), for older drivers: the same totals in 32 bits, which wrap
 * around. */
typedef struct StrobeDcmiHccs32 {
    uint32_t tx[STROBE_DCMI_LINKS], rx[STROBE_DCMI_LINKS];
    uint32_t crc_errors[STROBE_DCMI_LINKS], retries[STROBE_DCMI_LINKS];
    uint8_t reserved[256];
} StrobeDcmiHccs32;

/* Result of dcmi_get_hccs_link_bandwidth_info, in GiB/s. The call adds to total_tx and total_rx, so
 * set them to 0 before. */
typedef struct StrobeDcmiHccsBandwidth {
    int32_t profiling_time; /* ms; set by the caller, 1 to 1000; the call takes this long */
    double total_tx, total_rx;
    double tx[STROBE_DCMI_LINKS], rx[STROBE_DCMI_LINKS];
} StrobeDcmiHccsBandwidth;

typedef struct StrobeDcmiRange {
    uint32_t min, max, avg;
} StrobeDcmiRange;

/* Result of dcmi_get_pcie_link_bandwidth_info, in whole MiB/ms, rounded down; latency in ns. */
typedef struct StrobeDcmiPcie {
    int32_t profiling_time; /* ms; set by the caller, 0 to 2000; the call takes this long */
    StrobeDcmiRange tx_post, tx_nonpost, tx_cpl, tx_nonpost_latency;
    StrobeDcmiRange rx_post, rx_nonpost, rx_cpl;
} StrobeDcmiPcie;

/* Result of dcmi_get_netdev_pkt_stats_info: totals. */
typedef struct StrobeDcmiNetwork {
    uint64_t mac_tx_pause, mac_rx_pause;
    uint64_t mac_tx_pfc, mac_tx_pfc_of[8]; /* the same counters by priority */
    uint64_t mac_rx_pfc, mac_rx_pfc_of[8];
    uint64_t mac_tx_packets, mac_tx_bytes, mac_tx_bad_packets, mac_tx_bad_bytes;
    uint64_t mac_rx_packets, mac_rx_bytes, mac_rx_bad_packets, mac_rx_bad_bytes;
    uint64_t mac_rx_fcs_errors;
    uint64_t roce_rx_rc_packets, roce_rx_packets, roce_rx_errors;
    uint64_t roce_tx_rc_packets, roce_tx_packets, roce_tx_errors;
    uint64_t roce_cqe, roce_rx_cnp, roce_tx_cnp;
    uint64_t roce_ack_errors, roce_psn_errors, roce_verify_errors, roce_qp_errors;
    uint64_t roce_retries, roce_ecn;
    uint64_t nic_tx_packets, nic_tx_bytes, nic_rx_packets, nic_rx_bytes;
    uint64_t reserved[10];
} StrobeDcmiNetwork;

/* Functions of the library, which is never unloaded. A function that the library lacks is NULL. */
typedef struct StrobeDcmi {
    int (*init)(void);
    int (*card_list)(int *n, int *list, int size);
    int (*devices_in_card)(int card, int *n);
    int (*logic_id)(int *logic, int card, int device);
    int (*device_info)(int card, int device, int main_command, unsigned command, void *buffer,
                       unsigned *size);
    int (*hccs_bandwidth)(int card, int device, StrobeDcmiHccsBandwidth *bandwidth);
    int (*pcie_bandwidth)(int card, int device, StrobeDcmiPcie *bandwidth);
    int (*network)(int card, int device, int port, StrobeDcmiNetwork *statistics);
} StrobeDcmi;

typedef struct StrobeDcmiDevice {
    int card, device;
    int32_t id; /* device number as frameworks count: DCMI's logic id */
} StrobeDcmiDevice;

/* Loads and initialises the library. If `library` has no slash, the vendor's folders are searched
 * too. Returns NULL, or the reason why the library cannot be used (valid until the thread's next
 * call). */
const char *strobe_dcmi_open(StrobeDcmi *dcmi, const char *library);
/* Fills `devices` (room for STROBE_DCMI_DEVICES_MAX) and returns the number of devices. */
unsigned strobe_dcmi_devices(const StrobeDcmi *dcmi, StrobeDcmiDevice *devices);

/* What to do with a metric after a failed call. */
typedef enum StrobeDcmiVerdict { STROBE_DCMI_RETRY, STROBE_DCMI_GIVE_UP } StrobeDcmiVerdict;
/* Decides what to do after a call with this status. *reason is the reason to report. */
StrobeDcmiVerdict strobe_dcmi_judge(int status, const char **reason);

#if defined(__cplusplus)
}
#endif

#endif
