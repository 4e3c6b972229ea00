# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The value of NAME in the flat object $0 as rows.awk and budgets.awk write it; "" where it is null or absent.
function field(name,    at, rest)
{
	at = index($0, "\"" name "\":")
	if (!at)
		return ""
	rest = substr($0, at + length(name) + 3)
	if (substr(rest, 1, 1) == "\"") {
		match(rest, /^"([^"\\]|\\.)*"/)
		rest = substr(rest, 2, RLENGTH - 2)
		gsub(/\\"/, "\"", rest)
		return rest
	}
	match(rest, /^[^,}]*/)
	rest = substr(rest, 1, RLENGTH)
	return rest == "null" ? "" : rest
}

# S as a string there.
function quoted(s)
{
	gsub(/[\\"]/, "\\\\&", s)
	gsub(/[[:cntrl:]]/, " ", s)
	return "\"" s "\""
}
