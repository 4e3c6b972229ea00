#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The bookshop of shop.php in Apache with processes (prefork) and mod_php, and PostgreSQL.
. "$(dirname "$0")/stack.sh"
need apache2 postgres setsid
modules=/usr/lib/apache2/modules
for php in "$modules"/libphp8.?.so; do :; done
[ -f "$php" ] || skip "libapache2-mod-php is not installed"

start_stack()
{
	serve_postgres shop.sql
	port=$(free_port)
	cat >apache.conf <<-END
	ServerRoot $dir
	ServerName 127.0.0.1
	Listen 127.0.0.1:$port
	PidFile $dir/apache.pid
	ErrorLog $dir/apache.error.log
	DefaultRuntimeDir $dir
	LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so
	LoadModule authz_core_module $modules/mod_authz_core.so
	LoadModule alias_module $modules/mod_alias.so
	LoadModule env_module $modules/mod_env.so
	LoadModule php_module $php
	StartServers 4
	MinSpareServers 1
	MaxSpareServers 8
	MaxRequestWorkers 8
	KeepAlive On
	KeepAliveTimeout 60
	MaxKeepAliveRequests 0
	DocumentRoot $dir/www
	Alias /image.svg $dir/www/image.svg
	AliasMatch ^/[a-z_]+$ $dir/shop.php
	SetEnv SHOP_DIR $dir
	PHPINIDir $dir
	<Files shop.php>
		SetHandler application/x-httpd-php
		Require all granted
	</Files>
	END
	echo 'extension=pgsql' >php.ini
	$as mkdir www cache orders
	seq 1000 | $as tee www/image.svg >/dev/null
	# PHP loads extensions with RTLD_DEEPBIND: only if libpq is there before, its calls are traced. No other file than php.ini.
	preload=libpq.so.5
	# At its end, Apache sends SIGTERM to its process group.
	serve apache TERM setsid env PHP_INI_SCAN_DIR= apache2 -f "$dir/apache.conf" -D FOREGROUND
	preload=
	answers apache listening "$port"
}

judge_all()
{
	judge_stack "apache2 apache2 postgres" --images 4 --edges stream=2000
}

for run in 1 2 3; do
	start_stack
	load_stack shop "${LOAD:-2000}" 4 $((seed + run))
	judge_all
	put_away
done
start_stack
load_stack shop "${LOAD:-2000}" 4 "$seed" read sleep query spin
judge_all
# Functions of PHP: a call of a function of the page has no frame of C.
judge_faults 100 read=';read$' sleep=';usleep$' query='PQexec;.*;send$' spin='execute_ex'
finish
