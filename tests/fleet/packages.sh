#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The Debian packages: they are built from the distribution, installed by apt in a bare Debian, and answer a question there.
# Takes ten minutes or more, and downloads a Debian: in the long form only. Needs root, dpkg-dev, debhelper and debootstrap.
. "$(dirname "$0")/../lib.sh"
[ "${SYNTRACE_TEST_LONG:-}" = 1 ] || skip 'only in the long form'
[ "$(id -u)" = 0 ] || skip 'not root'
for tool in dpkg-buildpackage dh debootstrap ip unshare; do
	command -v "$tool" >/dev/null || skip "no $tool"
done
${MAKE:-make} -s -C "$top_builddir" distdir="$dir/syntrace" distdir >"$dir/dist.log" 2>&1 || {
	tail -n 20 "$dir/dist.log"
	exit 1
}
(cd "$dir/syntrace" && dpkg-buildpackage -us -uc -b) >"$dir/build.log" 2>&1 || {
	tail -n 20 "$dir/build.log"
	exit 1
}
bare=$dir/bare
# The mirror of this machine: it may be the only one that can be reached.
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$bare" ${mirror:+"$mirror"} >"$dir/bare.log" 2>&1 ||
	skip 'debootstrap cannot make a bare Debian'

without_network()
{
	unshare --net sh -c 'ip link set lo up && exec "$@"' sh "$@"
}
# COMMAND: in the bare Debian.
inside()
{
	${apart:-} unshare --mount --pid --fork --mount-proc="$bare/proc" chroot "$bare" \
		env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -c "$1"
}

mkdir "$bare/packages"
cp "$dir"/*.deb "$bare/packages/"
cp "$top_builddir/tests/fleet/busy" "$bare/usr/local/bin/"
inside 'apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends /packages/*.deb' >"$dir/install.log" 2>&1 || {
	tail -n 20 "$dir/install.log"
	exit 1
}
# LD_PRELOAD needs no path, the launcher finds its library, and each program prints its help.
inside 'cd /tmp && LD_PRELOAD=libsyntrace.so ls / >/dev/null && syntrace-decode stat syntrace.data && syntrace record -o t -- ls / &&
	syntrace-decode check t && syntrace-fleet --help' >"$dir/use.log" 2>&1 || fail "the installed programs: $(tail -n 5 "$dir/use.log")"

# `try`, without a network
apart=without_network
inside 'set -e; mkdir -p /tmp/traces/cart && cd /tmp && mkfifo in
	syntrace record --paused -o traces/cart/t -- busy <in >/dev/null 2>&1 & exec 8>in
	timeout 200 syntrace-fleet try --traces=traces --every=2 --windows=2' >"$dir/answer" 2>"$dir/messages"
apart=
grep -q '^accounts  *mutex .*;serve' "$dir/answer" || fail "no answer of try: $(tail -n 5 "$dir/messages")"

# The services: systemd finds no error in them, and their users and directories exist.
inside 'getent passwd syntrace-push syntrace-load' >/dev/null || fail 'no users of the services'
[ "$(inside 'stat -c "%a %U" /var/spool/syntrace')" = '2770 syntrace-push' ] || fail 'the spool'
inside 'systemd-analyze verify /lib/systemd/system/syntrace-*.service' >"$dir/verify" 2>&1 || fail "$(cat "$dir/verify")"

# Removing the packages leaves no file of theirs.
inside 'apt-get -qq -o Dpkg::Use-Pty=0 purge -y libsyntrace >/dev/null 2>&1; find /usr /etc /lib -name "*syntrace*"' >"$dir/left"
[ ! -s "$dir/left" ] || fail "left after a purge: $(cat "$dir/left")"
finish
