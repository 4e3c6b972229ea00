#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Figure 5 of the Magpie paper: nginx, php-fpm and PostgreSQL under the mix of TPC-W. One URL hides several kinds of work
# (shop.php). pages.tsv has the kind of each request, queries.tsv its queries, client.tsv its bytes.
#
#   OUT=DIRECTORY LOAD=2000 tests/real/requests-php.sh    # keeps the trace and the logs
. "$(dirname "$0")/stack.sh"
for fpm in php-fpm8.4 php-fpm8.3 php-fpm8.2 php-fpm; do
	command -v "$fpm" >/dev/null && break
done
need nginx "$fpm" postgres
"$fpm" -n -d extension=pgsql -m 2>/dev/null | grep -qx pgsql || skip "php-pgsql is not installed"

fpm_port=$(free_port)
cat >fpm.conf <<END
[global]
error_log = $dir/fpm.error.log
daemonize = no
process_control_timeout = 10s
[shop]
listen = 127.0.0.1:$fpm_port
pm = static
pm.max_children = 4
clear_env = no
END
$as mkdir www cache orders
seq 1000 | $as tee www/image.svg >/dev/null
serve_postgres shop.sql
# Without php.ini and the opcode cache: each request reads the page.
# PHP loads extensions with RTLD_DEEPBIND: only if libpq is there before, its calls are traced.
preload=libpq.so.5
serve fpm QUIT "$fpm" -n -d extension=pgsql -F -y "$dir/fpm.conf"
preload=
answers fpm listening "$fpm_port"
serve_nginx "location /image.svg { }
	location / {
		fastcgi_pass 127.0.0.1:$fpm_port;
		fastcgi_param SCRIPT_FILENAME $dir/shop.php;
		fastcgi_param SHOP_DIR $dir;
		fastcgi_param REQUEST_METHOD \$request_method;
		fastcgi_param REQUEST_URI \$request_uri;
		fastcgi_param QUERY_STRING \$query_string;
	}"
load_stack shop "${LOAD:-2000}" 4
judge_stack "nginx php-fpm postgres" --images 4 --edges stream=2000
timeout -k 5 "$patience" python3 "$truth" figure5 "$decode" "$dir" || fail "the clusters are no better than the URLs"
finish
