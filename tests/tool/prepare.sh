#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# build-aux/prepare.sh configures again after packages were installed, and only then: ./check after
# ./demo must find cmocka, or it leaves out the unit tests. Only the named sections of packages are installed.
. "$(dirname "$0")/lib.sh"

mkdir -p tree/build-aux tree/bin
cp "$top_srcdir/build-aux/prepare.sh" tree/build-aux/
cat >tree/build-aux/packages.debian <<'END'
build  compiler
check  cmocka
demo   server
long   stack
END
touch -d '2 days ago' tree/configure.ac
cat >tree/configure <<'END'
#!/bin/sh
echo "configure $*" >>../calls
printf '#!/bin/sh\necho "config.status $*" >>../calls\n' >config.status
chmod +x config.status
END
# installed: the packages that the stub of dpkg-query calls installed, one per line
cat >tree/bin/dpkg-query <<'END'
#!/bin/sh
for name; do :; done
grep -qx "$name" installed && printf installed
END
printf '#!/bin/sh\n' >tree/bin/make
chmod +x tree/configure tree/bin/*
touch -d '1 day ago' tree/configure
cd tree || exit 99
PATH=$PWD/bin:$PATH

# prepare CALL...: prepare_build makes exactly these calls.
prepare()
{
	: >calls
	(. build-aux/prepare.sh && prepare_build) >out 2>err || bad 'prepare_build fails'
	printf '%s\n' "$@" | grep . >expected
	cmp -s expected calls || {
		cp calls out
		bad "prepare_build made these calls, expected: $(tr '\n' ';' <expected)"
	}
}

printf '%s\n' compiler server >installed
prepare 'configure -q'
prepare
echo cmocka >>installed
prepare 'config.status --recheck' 'config.status -q'
prepare

# sections SECTION...: prints the packages that prepare_packages installs for these sections.
sections()
{
	: >calls
	(. build-aux/prepare.sh && prepare_packages "$@") >out 2>err || bad "prepare_packages $*"
	sed -n 's/.* install --no-install-recommends //p' calls
}
printf '#!/bin/sh\necho "$@" >>calls\n' >bin/apt-get
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/apt-get bin/sudo
[ -z "$(sections build check demo)" ] || bad "prepare_packages installs more than the sections build, check and demo"
[ "$(sections check long)" = stack ] || bad "prepare_packages does not install the section long"
tool_end
