# SPDX-License-Identifier: Apache-2.0
"""Code that runs inside a process under `strobe run`."""
