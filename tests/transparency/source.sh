#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# source.sh PACKAGE[=VERSION] DIRECTORY: fetches a Debian source package and unpacks it as DIRECTORY.  The machine's own
# package sources serve, read as deb-src; its apt configuration stays as it is, and root is not needed.
set -eu
package=$1
tree=$2
work=$(dirname "$tree")/fetch.$$
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/sources"
trap 'rm -rf "$work"' EXIT

command -v apt-get >/dev/null || { echo "no apt-get" >&2; exit 1; }
command -v dpkg-source >/dev/null || { echo "no dpkg-source (package dpkg-dev)" >&2; exit 1; }
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
	[ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >"$work/sources/$(basename "$file")"
done
for file in /etc/apt/sources.list.d/*.sources; do
	[ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/sources/$(basename "$file")"
done

apt()
{
	apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/sources" \
		-o Dir::State::lists="$work/lists" -o Dir::Cache="$work" -o APT::Sandbox::User=root \
		-o Acquire::Retries=2 "$@"
}
# A source that cannot be reached need not be the source of the package.
apt update >"$work/log" 2>&1 || true
(cd "$work" && apt --download-only source "$package") >>"$work/log" 2>&1 || {
	tail -n 3 "$work/log" >&2
	exit 1
}
rm -rf "$tree"
dpkg-source --no-check --no-copy -x "$work"/*.dsc "$tree" >>"$work/log" 2>&1 || {
	tail -n 3 "$work/log" >&2
	exit 1
}
