# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Completion of all tools for three shells, made by asking the tools, so not in a cross build.
EXTRA_DIST += completion/generate.sh
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
if !CROSS_COMPILING
nodist_bashcompletion_DATA = completion/bash/syntrace completion/bash/syntrace-decode completion/bash/syntrace-fleet
nodist_zshcompletion_DATA = completion/zsh/_syntrace completion/zsh/_syntrace-decode completion/zsh/_syntrace-fleet
nodist_fishcompletion_DATA = completion/fish/syntrace.fish completion/fish/syntrace-decode.fish completion/fish/syntrace-fleet.fish
completions = $(nodist_bashcompletion_DATA) $(nodist_zshcompletion_DATA) $(nodist_fishcompletion_DATA)
CLEANFILES += $(completions)
$(completions): $(srcdir)/completion/generate.sh

GENERATE_COMPLETION = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(srcdir)/completion/generate.sh
completion/bash/syntrace: syntrace$(EXEEXT)
	$(GENERATE_COMPLETION) bash ./syntrace >$@.tmp && mv $@.tmp $@
completion/bash/syntrace-decode: syntrace-decode$(EXEEXT)
	$(GENERATE_COMPLETION) bash ./syntrace-decode >$@.tmp && mv $@.tmp $@
completion/zsh/_syntrace: syntrace$(EXEEXT)
	$(GENERATE_COMPLETION) zsh ./syntrace >$@.tmp && mv $@.tmp $@
completion/zsh/_syntrace-decode: syntrace-decode$(EXEEXT)
	$(GENERATE_COMPLETION) zsh ./syntrace-decode >$@.tmp && mv $@.tmp $@
completion/fish/syntrace.fish: syntrace$(EXEEXT)
	$(GENERATE_COMPLETION) fish ./syntrace >$@.tmp && mv $@.tmp $@
completion/fish/syntrace-decode.fish: syntrace-decode$(EXEEXT)
	$(GENERATE_COMPLETION) fish ./syntrace-decode >$@.tmp && mv $@.tmp $@
completion/bash/syntrace-fleet: syntrace-fleet$(EXEEXT)
	$(GENERATE_COMPLETION) bash ./syntrace-fleet >$@.tmp && mv $@.tmp $@
completion/zsh/_syntrace-fleet: syntrace-fleet$(EXEEXT)
	$(GENERATE_COMPLETION) zsh ./syntrace-fleet >$@.tmp && mv $@.tmp $@
completion/fish/syntrace-fleet.fish: syntrace-fleet$(EXEEXT)
	$(GENERATE_COMPLETION) fish ./syntrace-fleet >$@.tmp && mv $@.tmp $@
endif
