include tests/unit/local.mk
include tests/bench/local.mk
