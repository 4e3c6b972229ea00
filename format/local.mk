# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
EXTRA_DIST += format/format.h format/slot.h format/wire.h format/event.h format/codes.h format/columns.h format/address.h \
	format/budget.h format/calls.h format/calls.def format/sampler.h format/sampler_text.h format/sampling.h format/shapes.def format/kinds.def format/fields.def
