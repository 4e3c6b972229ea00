#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# sshd on a high port with keys of its own: commands, exit statuses, a terminal, forwarding, scp and sftp.
. "$(dirname "$0")/common.sh"
port=$(free_port)
other=$(free_port)
user=$(id -un)
umask 077
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f key
cp key.pub authorized
if [ "$(id -u)" = 0 ]; then
	mkdir -p /run/sshd
	chmod 755 /run/sshd
fi
cat >config <<CONF
Port $port
ListenAddress 127.0.0.1
HostKey $PWD/host
AuthorizedKeysFile $PWD/authorized
PidFile $PWD/pid
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
PrintMotd no
PrintLastLog no
Subsystem sftp internal-sftp
CONF
$RECORD /usr/sbin/sshd -D -E log -f config &
server=$!
until_ok listening "$port"
holds sshd $server
options="-F none -i $PWD/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=$PWD/known -o LogLevel=ERROR -o BatchMode=yes"
on()
{
	status timeout 60 $RECORD ssh $options -p "$port" "$@" </dev/null
}
on "$user@127.0.0.1" 'echo hello; echo wrong >&2; exit 7' 2>&1
on "$user@127.0.0.1" 'seq 100000' | md5sum
seq 200000 | timeout 60 $RECORD ssh $options -p "$port" "$user@127.0.0.1" 'sort -rn | md5sum'
# The end of its input, come early, could end it.
sleep 5 | status timeout 60 $RECORD ssh $options -tt -p "$port" "$user@127.0.0.1" 'tty | sed "s/[0-9]*$/N/"; stty size; echo done' | tr -d '\r'
on -C "$user@127.0.0.1" 'kill -9 $$'
on "nobody-here@127.0.0.1" true 2>&1
seq 300000 >sent
status timeout 60 $RECORD scp $options -P "$port" sent "$user@127.0.0.1:$PWD/received"
cmp sent received && echo "scp: the same"
status timeout 60 $RECORD scp -O $options -P "$port" "$user@127.0.0.1:$PWD/received" back
cmp sent back && echo "scp -O: the same"
mkdir remote
printf 'cd %s\nput sent again\nls -1\nget again fetched\n' "$PWD/remote" >batch
status timeout 60 $RECORD sftp -q $options -P "$port" -b batch "$user@127.0.0.1" 2>&1 | sed "s,$PWD,HERE,g"
cmp sent fetched && echo "sftp: the same"
timeout 60 $RECORD ssh $options -N -L "$other:127.0.0.1:$port" -p "$port" "$user@127.0.0.1" &
tunnel=$!
until_ok listening "$other"
status timeout 60 $RECORD ssh $options -p "$other" "$user@127.0.0.1" 'echo through the tunnel' </dev/null
timeout 60 $RECORD ssh $options -M -S control -fN -p "$port" "$user@127.0.0.1"
status timeout 60 $RECORD ssh $options -S control -p "$port" "$user@127.0.0.1" 'echo shared connection' </dev/null
status timeout 60 $RECORD ssh $options -S control -O exit "$user@127.0.0.1" 2>&1
kill $tunnel
wait $tunnel
echo "the tunnel ended with $?"
sessions_of=$(program $server)
until_ok sh -c "! pgrep -P $sessions_of"
holds sshd $server
kill -TERM $server
ended sshd $server
sed -E 's/port [0-9]+/port N/; s/pid [0-9]+/pid N/; /Accepted key|Starting session|Close session/d' log | sort | uniq -c
