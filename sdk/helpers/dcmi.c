/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/dcmi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- the vendor's layouts ---- */

_Static_assert(sizeof(StrobeDcmiHccs) == 1024, "layout of HCCS statistics");
_Static_assert(offsetof(StrobeDcmiHccs, rx) == 128, "layout of HCCS statistics");
_Static_assert(offsetof(StrobeDcmiHccs, crc_errors) == 256, "layout of HCCS statistics");
_Static_assert(sizeof(StrobeDcmiHccs32) == 512, "layout of HCCS statistics");
_Static_assert(sizeof(StrobeDcmiHccsBandwidth) == 280, "layout of HCCS bandwidths");
_Static_assert(offsetof(StrobeDcmiHccsBandwidth, total_tx) == 8, "layout of HCCS bandwidths");
_Static_assert(offsetof(StrobeDcmiHccsBandwidth, rx) == 152, "layout of HCCS bandwidths");
_Static_assert(sizeof(StrobeDcmiPcie) == 88, "layout of PCIe bandwidths");
_Static_assert(offsetof(StrobeDcmiPcie, tx_nonpost_latency) == 40, "layout of PCIe bandwidths");
_Static_assert(offsetof(StrobeDcmiPcie, rx_cpl) == 76, "layout of PCIe bandwidths");
_Static_assert(sizeof(StrobeDcmiNetwork) == 464, "layout of network statistics");
_Static_assert(offsetof(StrobeDcmiNetwork, mac_rx_pfc) == 88, "layout of network statistics");
_Static_assert(offsetof(StrobeDcmiNetwork, mac_tx_packets) == 160, "layout of network statistics");
_Static_assert(offsetof(StrobeDcmiNetwork, mac_rx_fcs_errors) == 224, "network statistics");
_Static_assert(offsetof(StrobeDcmiNetwork, roce_tx_packets) == 264, "network statistics");
_Static_assert(offsetof(StrobeDcmiNetwork, roce_retries) == 336, "layout of network statistics");
_Static_assert(offsetof(StrobeDcmiNetwork, nic_rx_bytes) == 376, "layout of network statistics");

/* Finds a function by its name, or else by its older name `old` (NULL: none). */
static void *find_function(void *library, const char *name, const char *old)
{
    void *function = dlsym(library, name);

    return function || !old ? function : dlsym(library, old);
}

static void *load_library(const char *library)
{
    static const char *const folders[] = {"/usr/local/dcmi",
                                          "/usr/local/Ascend/driver/lib64/driver",
                                          "/usr/local/Ascend/driver/lib64"};
    char path[1024];
    /* never unloaded, because the library starts threads */
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    for (size_t i = 0; !handle && !strchr(library, '/') && i < sizeof folders / sizeof *folders;
         i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], library);
        handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    return handle;
}

static void bind_functions(StrobeDcmi *dcmi, void *library)
{
    *(void **)&dcmi->init = find_function(library, "dcmi_init", NULL);
    *(void **)&dcmi->card_list =
        find_function(library, "dcmi_get_card_list", "dcmi_get_card_num_list");
    *(void **)&dcmi->devices_in_card = find_function(library, "dcmi_get_device_num_in_card", NULL);
    *(void **)&dcmi->logic_id = find_function(library, "dcmi_get_device_logic_id", NULL);
    *(void **)&dcmi->device_info = find_function(library, "dcmi_get_device_info", NULL);
    *(void **)&dcmi->hccs_bandwidth =
        find_function(library, "dcmi_get_hccs_link_bandwidth_info", NULL);
    *(void **)&dcmi->pcie_bandwidth =
        find_function(library, "dcmi_get_pcie_link_bandwidth_info", NULL);
    *(void **)&dcmi->network = find_function(library, "dcmi_get_netdev_pkt_stats_info", NULL);
}

const char *strobe_dcmi_open(StrobeDcmi *dcmi, const char *library)
{
    static _Thread_local char text[128];
    void *handle = load_library(library);
    int status;

    memset(dcmi, 0, sizeof *dcmi);
    if (!handle) {
        const char *reason = dlerror();
        return reason ? reason : "the library cannot be loaded";
    }
    bind_functions(dcmi, handle);
    if (!dcmi->init || !dcmi->card_list || !dcmi->devices_in_card)
        return "the library is not DCMI: it has no dcmi_init, dcmi_get_card_list or "
               "dcmi_get_device_num_in_card";
    status = dcmi->init();
    if (status == STROBE_DCMI_OK)
        return NULL;
    snprintf(text, sizeof text, "dcmi_init failed with %d", status);
    return text;
}

unsigned strobe_dcmi_devices(const StrobeDcmi *dcmi, StrobeDcmiDevice *devices)
{
    int cards[STROBE_DCMI_DEVICES_MAX] = {0}, n_cards = 0, n_devices;
    unsigned n = 0;

    if (dcmi->card_list(&n_cards, cards, STROBE_DCMI_DEVICES_MAX) != STROBE_DCMI_OK)
        return 0;
    for (int i = 0; i < n_cards && i < STROBE_DCMI_DEVICES_MAX; i++) {
        n_devices = 0;
        if (dcmi->devices_in_card(cards[i], &n_devices) != STROBE_DCMI_OK)
            continue;
        for (int k = 0; k < n_devices && n < STROBE_DCMI_DEVICES_MAX; k++) {
            int logic = (int)n;
            if (dcmi->logic_id && dcmi->logic_id(&logic, cards[i], k) != STROBE_DCMI_OK)
                logic = (int)n;
            devices[n++] = (StrobeDcmiDevice){cards[i], k, logic};
        }
    }
    return n;
}

StrobeDcmiVerdict strobe_dcmi_judge(int status, const char **reason)
{
    switch (status) {
    case STROBE_DCMI_INVALID:
        *reason = "the driver rejects a parameter as invalid";
        return STROBE_DCMI_GIVE_UP;
    case STROBE_DCMI_NOT_PERMITTED:
        *reason = "not permitted: it needs root or the group HwHiAiUser";
        return STROBE_DCMI_GIVE_UP;
    case STROBE_DCMI_BAD_DEVICE:
    case STROBE_DCMI_NO_DEVICE:
        *reason = "the device is not there";
        return STROBE_DCMI_GIVE_UP;
    case STROBE_DCMI_NOT_IN_CONTAINER:
        *reason = "not available in a container";
        return STROBE_DCMI_GIVE_UP;
    case STROBE_DCMI_NOT_SUPPORTED:
        *reason = "the device does not support it";
        return STROBE_DCMI_GIVE_UP;
    case STROBE_DCMI_OCCUPIED:
        *reason = "another profiler is using the device: sampling pauses until it ends";
        return STROBE_DCMI_RETRY;
    default:
        *reason = "the call failed: it will be tried again";
        return STROBE_DCMI_RETRY;
    }
}
