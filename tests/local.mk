include tests/unit/local.mk
include tests/stack/local.mk
