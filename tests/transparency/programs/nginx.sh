#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# nginx as a daemon with two workers: its answers over HTTP, TLS and HTTP/2 to curl, a reload, and
# its end.
. "$(dirname "$0")/common.sh"
port=$(free_port)
secure=$(free_port)
mkdir www logs
seq 100000 >www/numbers
head -c 3000000 /dev/zero | tr '\0' 'x' >www/big
echo '<p>hello' >www/index.html
# Workers run as another user.
chmod 711 . ..
chmod -R a+rX www
openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 -subj /CN=localhost >/dev/null 2>&1
cat >nginx.conf <<CONF
worker_processes 2;
pid $PWD/pid;
error_log $PWD/logs/error warn;
events { worker_connections 64; }
http {
	access_log $PWD/logs/access;
	types { text/html html; }
	sendfile on;
	aio threads;
	gzip on;
	gzip_types *;
	client_body_temp_path $PWD/t1;
	proxy_temp_path $PWD/t2;
	fastcgi_temp_path $PWD/t3;
	uwsgi_temp_path $PWD/t4;
	scgi_temp_path $PWD/t5;
	limit_req_zone \$server_name zone=z:1m rate=10000r/s;
	server {
		listen 127.0.0.1:$port;
		listen 127.0.0.1:$secure ssl http2;
		ssl_certificate $PWD/cert;
		ssl_certificate_key $PWD/key;
		root $PWD/www;
		limit_req zone=z burst=1000;
		location /proxied/ { proxy_pass http://127.0.0.1:$port/; }
		location /moved { return 301 /index.html; }
	}
}
CONF
status $RECORD nginx -e logs/start -c "$PWD/nginx.conf" -p "$PWD"
until_ok test -s pid
until_ok listening "$port"
master=$(cat pid)
until_ok sh -c "[ \$(pgrep -cP $master) = 2 ]"
sleep 0.5
holds master "$master"
for worker in $(pgrep -P "$master" | sort -n); do
	holds worker "$worker"
done

# get ARGUMENT...: one request, or several
get()
{
	$RECORD curl -sS --max-time 60 -k "$@" -w '%{http_code} %{size_download} %{num_redirects} %{http_version} %{num_connects}\n' -o body
	echo "exit status $?"
	md5sum <body
}
get "http://127.0.0.1:$port/"
get "http://127.0.0.1:$port/numbers"
get --compressed "http://127.0.0.1:$port/numbers"
get -r 1000-1999 "http://127.0.0.1:$port/numbers"
get -L "http://127.0.0.1:$port/moved"
get "http://127.0.0.1:$port/missing"
get "http://127.0.0.1:$port/proxied/big"
get "https://127.0.0.1:$secure/big"
get --http1.1 "https://127.0.0.1:$secure/big"
get -d some=data "http://127.0.0.1:$port/"
get --http2 "https://127.0.0.1:$secure/" "https://127.0.0.1:$secure/numbers" -o other
rm -f body other
status $RECORD curl -sS --no-progress-meter --max-time 60 -Z --parallel-max 8 "http://127.0.0.1:$port/numbers?[1-40]" -o 'got#1'
cat got* | md5sum
before=$(pgrep -P "$master" | sort -n | head -n 1)
kill -HUP "$master"
until_ok sh -c "[ \$(pgrep -cP $master) = 2 ] && [ \$(pgrep -P $master | sort -n | head -n 1) -ne $before ] && ! kill -0 $worker"
get "http://127.0.0.1:$port/"
kill -QUIT "$master"
until_ok sh -c "! kill -0 $master"
cut -d'"' -f2- logs/access | sort | sed "s/:$port/:PORT/; s/:$secure/:PORT/"
sed -E 's/^[^[]*//; s/[0-9]+#[0-9]+: (\*[0-9]+)?//; s/127.0.0.1:[0-9]+/HOST/' logs/error logs/start
