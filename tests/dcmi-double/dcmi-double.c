/* SPDX-License-Identifier: Apache-2.0 */
#include "dcmi-double.h"

#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))

static DcmiDouble state = {.n_cards = 1, .n_in_card = 1};
static int is_ready;

DcmiDouble *dcmi_double(void);
int dcmi_init(void);
int dcmi_get_card_list(int *n, int *list, int size);
int dcmi_get_device_num_in_card(int card, int *n);
int dcmi_get_device_logic_id(int *logic, int card, int device);
int dcmi_get_device_info(int card, int device, int main_command, unsigned command, void *buffer,
                         unsigned *size);
int dcmi_get_hccs_link_bandwidth_info(int card, int device, void *info);
int dcmi_get_pcie_link_bandwidth_info(int card, int device, void *info);
int dcmi_get_netdev_pkt_stats_info(int card, int device, int port, void *info);

API DcmiDouble *dcmi_double(void)
{
    return &state;
}

API int dcmi_init(void)
{
    is_ready = 1;
    return 0;
}

/* Lists the cards, whose numbers are 2, 3 and so on, so that a number is not an index. */
API int dcmi_get_card_list(int *n, int *list, int size)
{
    if (!is_ready || size > 64)
        return -8001;
    for (int i = 0; i < state.n_cards && i < size; i++)
        list[i] = i + 2;
    *n = state.n_cards;
    return 0;
}

API int dcmi_get_device_num_in_card(int card, int *n)
{
    if (card < 2)
        return -8007;
    *n = state.n_in_card;
    return 0;
}

API int dcmi_get_device_logic_id(int *logic, int card, int device)
{
    *logic = (card - 2) * state.n_in_card + device;
    return 0;
}

static int enter_call(int card, int device, int status)
{
    struct timespec pause = {.tv_sec = state.block_ms / 1000,
                             .tv_nsec = state.block_ms % 1000 * 1000000L};

    __atomic_add_fetch(&state.n_calls, 1, __ATOMIC_RELAXED);
    if (state.block_ms > 0)
        nanosleep(&pause, NULL);
    return card < 2 || card >= 2 + state.n_cards || device >= state.n_in_card ? -8007 : status;
}

API int dcmi_get_device_info(int card, int device, int main_command, unsigned command, void *buffer,
                             unsigned *size)
{
    char *bytes = buffer;
    int status = enter_call(card, device, command == 5 ? state.hccs_64 : state.hccs_32);

    if (status)
        return status;
    if (main_command != 16 || (command != 5 && command != 3) ||
        *size < (command == 5 ? 1024u : 512u))
        return -8001;
    for (int i = 0; i < DOUBLE_LINKS; i++) {
        uint32_t tx = (uint32_t)state.tx[i], rx = (uint32_t)state.rx[i];
        if (command == 5) {
            memcpy(bytes + 8 * i, &state.tx[i], 8);
            memcpy(bytes + 128 + 8 * i, &state.rx[i], 8);
        } else {
            memcpy(bytes + 4 * i, &tx, 4);
            memcpy(bytes + 64 + 4 * i, &rx, 4);
        }
    }
    return 0;
}

static void wait_for_measurement(const void *info)
{
    int32_t time_ms;
    struct timespec pause;

    memcpy(&time_ms, info, sizeof time_ms);
    state.last_time = time_ms;
    pause.tv_sec = time_ms / 1000;
    pause.tv_nsec = time_ms % 1000 * 1000000L;
    nanosleep(&pause, NULL);
}

API int dcmi_get_hccs_link_bandwidth_info(int card, int device, void *info)
{
    char *bytes = info;
    double total;
    int status = enter_call(card, device, state.hccs_measured);

    if (status)
        return status;
    wait_for_measurement(info);
    memcpy(&total, bytes + 8, 8);
    total += state.total_tx;
    memcpy(bytes + 8, &total, 8);
    memcpy(&total, bytes + 16, 8);
    total += state.total_rx;
    memcpy(bytes + 16, &total, 8);
    return 0;
}

API int dcmi_get_pcie_link_bandwidth_info(int card, int device, void *info)
{
    int status = enter_call(card, device, state.pcie);

    if (status)
        return status;
    wait_for_measurement(info);
    memcpy((char *)info + 4, state.pcie_words, sizeof state.pcie_words);
    return 0;
}

API int dcmi_get_netdev_pkt_stats_info(int card, int device, int port, void *info)
{
    int status = enter_call(card, device, port == 0 ? state.net : -8001);

    if (!status)
        memcpy(info, state.net_words, sizeof state.net_words);
    return status;
}
