# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The part of an event's work that an instruction of OBJECT belongs to, by the FILE that it was compiled from and the
# name of its FUNCTION: wherever the compiler has put it.
function part_of(object, file, function_name)
{
	sub(/.*\//, "", file)
	if (object !~ /libsyntrace\.so|tests\/cost\/seal$/)
		return "program"
	if (function_name ~ /^(LZ4|XXH|choose_codes)/ || file ~ /^(ring\.c|xxhash\.h|arena.*|meta\.c|map\.c|string\.c)$/)
		return "sealing"
	if (function_name ~ /^(cpu_now|record_rare|syt_clock_thread_cpu)/) # their number depends on the speed of the machine
		return "samples"
	if (file ~ /^(frame\.c|plain(-body)?\.h|move-body\.h|alive\.h|self\.h|session\.[ch]|thread\.c)$/)
		return "guard"
	if (file ~ /^clock\.[ch]$/)
		return "clock"
	if (file ~ /^(sync-)?object\.[ch]$/)
		return "object"
	if (file ~ /^stack-node\.[ch]$/)
		return "node"
	if (file ~ /^(stack|module).*\.[ch]$/)
		return "stack"
	if (file ~ /^(event\.h|codes\.h|wire\.h|fields\.def|ring\.h)$/)
		return "encoding"
	if (file ~ /^(mutex\.c|plain\.c|fast-entry\.S|real-stub\.S|calls\.def|wrap\.h|acquire\.h|slow-leave\.[ch]|libc\.h|real\..*)$/)
		return "wrapper"
	if (file ~ /^(io|poll|socket|cond|sem|cleanup)\.[ch]$/)
		return "wrapper"
	if (file ~ /^(endpoint.*|fd-words|in-flight|move|watch|address)\.[ch]$/)
		return "descriptor"
	return "other"
}
