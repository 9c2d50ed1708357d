# SPDX-License-Identifier: Apache-2.0
"""What happens inside a process under `strobe run`."""
