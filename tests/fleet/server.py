# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""The web server of examples/fleet/nginx.conf on loopback, with certificates for this test."""
import os
import re
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def need():
    for program in ('nginx', 'openssl'):
        if not shutil.which(program, path=os.environ['PATH'] + ':/usr/sbin:/sbin'):
            print('skipped:', program, 'is not installed')
            sys.exit(77)
    os.environ['PATH'] += ':/usr/sbin:/sbin'


def openssl(*arguments):
    subprocess.run(['openssl', *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Center:
    """DIRECTORY/root has in/, loaded/ and policy; DIRECTORY/etc has the certificates."""

    def __init__(self, directory, hosts):
        self.directory, self.root, self.etc = directory, directory + '/root', directory + '/etc'
        for path in (self.root, self.root + '/in', self.root + '/loaded', self.root + '/temporary', self.etc):
            os.makedirs(path)
        os.chmod(directory, 0o755)
        openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
                '-subj', '/CN=authority', '-keyout', self.etc + '/authority.key', '-out', self.etc + '/authority.pem')
        for name in ['server', *hosts]:
            self.certify(name)
        self.port = free_port()
        with open(HERE + '/../../examples/fleet/nginx.conf') as template:
            text = template.read()
        text = text.replace('/etc/syntrace', self.etc).replace('/srv/syntrace', self.root)
        text = text.replace('listen 8443', f'listen 127.0.0.1:{self.port}').replace('auto;', '1;')
        others = ''.join(f'\t{name}_temp_path {directory}/other;\n' for name in ('proxy', 'fastcgi', 'uwsgi', 'scgi'))
        text = re.sub(r'http \{\n', 'http {\n' + others, text)
        with open(directory + '/nginx.conf', 'w') as out:
            out.write(text)
        self.process = None

    def certify(self, name):
        path = f'{self.etc}/{name}'
        with open(path + '.ext', 'w') as out:
            out.write('subjectAltName=IP:127.0.0.1\n')
        openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=' + name,
                '-keyout', path + '.key', '-out', path + '.csr')
        openssl('x509', '-req', '-days', '2', '-in', path + '.csr', '-CA', self.etc + '/authority.pem', '-CAkey',
                self.etc + '/authority.key', '-CAcreateserial', '-extfile', path + '.ext', '-out', path + '.pem')

    def start(self):
        user = 'user root; ' if os.geteuid() == 0 else ''
        self.process = subprocess.Popen(
            ['nginx', '-p', self.directory, '-e', self.directory + '/error.log', '-c', self.directory + '/nginx.conf', '-g',
             f'{user}daemon off; master_process off; pid {self.directory}/pid;'])
        end = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(('127.0.0.1', self.port), timeout=5).close()
                return
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    with open(self.directory + '/error.log') as log:
                        raise SystemExit('nginx does not start: ' + log.read())
                time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def push_options(self, spool, host, certificate=None):
        certificate = f'{self.etc}/{certificate or host}'
        return ['push', '--spool=' + spool, '--host=' + host, f'--to=https://127.0.0.1:{self.port}/in',
                '--cacert=' + self.etc + '/authority.pem', '--cert=' + certificate + '.pem', '--key=' + certificate + '.key']
