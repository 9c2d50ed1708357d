/* SPDX-License-Identifier: Apache-2.0 */
/* Everything a plugin needs, in one include. */
#ifndef STROBE_STROBE_PLUGIN_H
#define STROBE_STROBE_PLUGIN_H

#include <strobe/collector.h>
#include <strobe/exporter.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>
#include <strobe/option.h>
#include <strobe/plugin.h>
#include <strobe/record.h>
#include <strobe/status.h>

#endif
