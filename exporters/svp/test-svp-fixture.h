/* SPDX-License-Identifier: Apache-2.0 */
/* Gives an exporter, through a mock host, the worked examples of a board's profile. */
#ifndef STROBE_SVP_TEST_FIXTURE_H
#define STROBE_SVP_TEST_FIXTURE_H

#include <glib.h>
#include <mock-consumer-host.h>
#include <svp.h>

typedef struct SvpFixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
} SvpFixture;

void svp_fixture_set_up(SvpFixture *f, gconstpointer unused);
/* fails if a file is left in the folder */
void svp_fixture_tear_down(SvpFixture *f, gconstpointer unused);

/* Adds an inference of the model. It has four layers, one of which runs on the processor. */
void svp_fixture_add_layers(SvpFixture *f, const char *model, guint32 number, gint64 begin);
void svp_fixture_add_call(SvpFixture *f, const char *name, const char *mode, guint32 model,
                          guint64 tid, gint64 begin, gint64 duration);
/* Adds the calls of the first example. */
void svp_fixture_add_calls(SvpFixture *f);
void svp_fixture_add_frequency(SvpFixture *f, gint64 time, double mhz);

/* Returns the text of the file, and removes the file; NULL: there is none. */
char *svp_fixture_take(SvpFixture *f, const char *name);

#endif
