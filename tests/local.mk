include tests/unit/local.mk
include tests/unit/order.mk
include tests/stack/local.mk
include tests/bench/local.mk
include tests/kill/local.mk
include tests/real/local.mk
include tests/lib/local.mk
include tests/unit/reading.mk
