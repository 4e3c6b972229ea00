# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Functions shared by ./check and ./demo: install the Debian packages, and build in build/.  Sourced
# with the source directory as the current directory.

# Prints the reason and exits with 2.
prepare_fail()
{
	echo "$0: $*" >&2
	exit 2
}

# Installs the missing packages of the named sections of packages.debian.
prepare_packages()
{
	prepare_missing=
	for prepare_section; do
		for prepare_name in $(sed -n "s/^$prepare_section  *//p" build-aux/packages.debian); do
			case $(dpkg-query -W -f '${db:Status-Status}' "$prepare_name" 2>/dev/null) in
			installed) ;;
			*) prepare_missing="$prepare_missing $prepare_name" ;;
			esac
		done
	done
	[ -n "$prepare_missing" ] || return 0

	command -v apt-get >/dev/null ||
		prepare_fail "this is not Debian; install the equivalents of:$prepare_missing"
	prepare_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null ||
			prepare_fail "please run as root: apt-get install$prepare_missing"
		prepare_root=sudo
	fi
	echo "installing:$prepare_missing"
	# The package lists of a fresh image are empty before an update.
	$prepare_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update ||
		echo "$0: apt-get update failed; trying with the package lists at hand" >&2
	# shellcheck disable=SC2086 # a list of words
	$prepare_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 \
		install --no-install-recommends $prepare_missing >build-packages.log 2>&1 || {
		tail -n 20 build-packages.log >&2
		prepare_fail "apt-get could not install:$prepare_missing"
	}
	rm -f build-packages.log
}

# Prints the packages of packages.debian that are installed.
prepare_installed()
{
	for prepare_name in $(sed -n 's/^[a-z][a-z]*  *//p' build-aux/packages.debian | sort -u); do
		case $(dpkg-query -W -f '${db:Status-Status}' "$prepare_name" 2>/dev/null) in
		installed) echo "$prepare_name" ;;
		esac
	done
}

# Makes the files of dependencies in the current directory: configure makes each of them by three processes, if it is missing.
prepare_dependencies()
{
	sed -n 's|.*am__quote@\(.*\)\$(DEPDIR)\(/.*\)@am__quote@ # am--include-marker$|\1.deps\2|p' \
		"$1/Makefile.in" >dependencies
	sed 's|/[^/]*$||' dependencies | sort -u | xargs -r mkdir -p
	xargs -r touch <dependencies
}

# Configures build/; with the options of the last time, if there was one.
prepare_configure()
(
	cd build || exit
	if [ -x config.status ]; then
		./config.status --recheck && ./config.status -q
	else
		prepare_dependencies ..
		# libtool takes half as long in a small shell as in bash, which configure would choose.
		CONFIG_SHELL=/bin/sh ../configure -q
	fi
)

# Configures and builds in build/, quietly.
prepare_build()
{
	prepare_jobs=$(nproc 2>/dev/null || echo 2)
	mkdir -p build
	if [ ! -x configure ] || [ configure.ac -nt configure ]; then
		autoreconf -fi >build/autoreconf.log 2>&1 || {
			tail -n 20 build/autoreconf.log >&2
			prepare_fail "autoreconf failed, see build/autoreconf.log"
		}
	fi
	# configure looks only once for optional packages, for example cmocka for the unit tests.  It must
	# look again after new packages were installed, for example by ./check after ./demo.
	prepare_installed >build/packages.now
	if [ ! -f build/config.status ] || [ configure -nt build/config.status ] ||
	   ! cmp -s build/packages.now build/packages.configured; then
		prepare_configure >build/configure.log 2>&1 || {
			tail -n 5 build/configure.log >&2
			prepare_fail "configure failed, see build/configure.log"
		}
	fi
	mv build/packages.now build/packages.configured
	make -s -j"$prepare_jobs" -C build >build/make.log 2>&1 || {
		grep -E 'error|Error|undefined' build/make.log | head -n 30 >&2
		prepare_fail "the build failed, see build/make.log"
	}
}
