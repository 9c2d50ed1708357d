/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a kit run with C libraries from 2.28 on: for functions that a newer C library has in
 * another library or with a new symbol version, chooses the oldest version. The compiler includes
 * this before every file of a kit. */
#ifndef STROBE_BOARD_OLD_GLIBC_H
#define STROBE_BOARD_OLD_GLIBC_H

/* From 2.38 on, with _GNU_SOURCE, sscanf and strtol would be new functions that read binary numbers
 * of C23. */
#include <features.h>
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0

#if defined(__aarch64__)
#define STROBE_OLDEST "GLIBC_2.17"
#elif defined(__arm__)
#define STROBE_OLDEST "GLIBC_2.4"
#else
#error "no kit for this processor"
#endif

#define STROBE_TAKE(name_) __asm__(".symver " #name_ "," #name_ "@" STROBE_OLDEST)

STROBE_TAKE(dladdr);
STROBE_TAKE(dlclose);
STROBE_TAKE(dlerror);
STROBE_TAKE(dlopen);
STROBE_TAKE(dlsym);
STROBE_TAKE(dladdr1);
STROBE_TAKE(pthread_attr_destroy);
STROBE_TAKE(pthread_attr_getstack);
STROBE_TAKE(pthread_condattr_setclock);
/* a file that sets this macro defines the function itself */
#if !defined(STROBE_OWN_PTHREAD_CREATE)
STROBE_TAKE(pthread_create);
#endif
STROBE_TAKE(pthread_detach);
STROBE_TAKE(pthread_getattr_np);
STROBE_TAKE(pthread_join);
STROBE_TAKE(pthread_key_create);
STROBE_TAKE(pthread_key_delete);
STROBE_TAKE(pthread_once);
STROBE_TAKE(pthread_setspecific);
STROBE_TAKE(pthread_getspecific);
STROBE_TAKE(pthread_sigmask);
STROBE_TAKE(timer_create);
STROBE_TAKE(timer_delete);
STROBE_TAKE(timer_settime);

#endif
