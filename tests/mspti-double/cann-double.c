/* SPDX-License-Identifier: Apache-2.0 */
/* As much of CANN as a library needs that looks whether it is there. */
#define STAND_IN(name_)                                                                            \
    int name_(void);                                                                               \
    __attribute__((visibility("default"))) int name_(void)                                         \
    {                                                                                              \
        return 0;                                                                                  \
    }

#if defined(CANN_PROFAPI)
STAND_IN(MsprofRegisterProfileCallback)
STAND_IN(ProfRegisterMstxFunc)
STAND_IN(ProfEnableMstxFunc)
#elif defined(CANN_LOG)
STAND_IN(CheckLogLevelForC)
#elif defined(CANN_ACL)
STAND_IN(aclInit)
#else
STAND_IN(halDeviceOpen)
#endif
