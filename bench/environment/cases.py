"""Which programs fail here that pass there, and what makes the difference?"""

# ruff: noqa: E501 - a shell command on one line is easier to read

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A fault.  `make` prepares the folder where the command passes, `damage` makes it fail.

    All of them are shell commands in a folder of their own, $W.  `there` and `here` start the
    command: "" or a prefix for the shell such as `ulimit -n 20;`.  `names` is the end of the path, or
    the variable or kind, that must be named; `line` is the line, if the fault has one.
    """

    name: str
    make: str
    damage: str
    command: str
    names: str
    line: int | None = None
    there: str = ""
    here: str = ""
    needs: str = "sh"


_LONG = 'for i in $(seq 200); do echo "option$i = $i"; done'
_NGINX = (
    "mkdir -p logs tmp run && (echo 'daemon off; pid run/nginx.pid; error_log logs/e.log;'; "
    "echo 'events { worker_connections 16; }'; echo 'http { access_log off;'; "
    'for d in client_body proxy fastcgi uwsgi scgi; do echo "${d}_temp_path tmp/$d;"; done; '
    "echo 'server { listen 127.0.0.1:18181; root www; } }') > nginx.conf"
)
_TAKEN = (
    "python3 -c 'import socket,time; s=socket.socket(); s.setsockopt(1,2,1); "
    's.bind(("127.0.0.1",%d)); s.listen(); time.sleep(60)\' >/dev/null 2>&1 & echo $! > holder; sleep 1'
)
# The shell replaces itself, so that $! is the server.
_DNS = (
    "exec 3>&1; (exec dnsmasq -k -p 53 --listen-address=127.0.0.9 --bind-interfaces -C /dev/null --no-resolv --no-hosts -u root "
    "--address=/db.test/127.0.0.%d >/dev/null 2>&1 3>&-) &"
)
_NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=$W"  # postgres refuses root
_POSTGRES = f"chmod 755 .; mkdir data; chown 65534 data; {_NOBODY} initdb -D data -A trust -U me"

CASES = (
    Case("nginx-configuration", _NGINX, "sed -i 's/worker_connections 16/worker_connections x/' nginx.conf",
         "nginx -t -q -p $W -c nginx.conf", "nginx.conf", 2, needs="nginx"),
    Case("nginx-missing-folder", _NGINX, "rm -rf logs", "nginx -t -q -p $W -c nginx.conf -e stderr",
         "logs/e.log", needs="nginx"),
    Case("nginx-port-taken", _NGINX, _TAKEN % 18181,
         "sh -c 'timeout 4 nginx -p $W -c nginx.conf; test $? = 124'",
         "127.0.0.1:18181", needs="nginx"),
    Case("lighttpd-configuration",
         "printf 'server.document-root = \"/tmp\"\\nserver.port = 18182\\nserver.bind = \"127.0.0.1\"\\n' > l.conf",
         "sed -i 's/18182/port/' l.conf", "lighttpd -tt -f $W/l.conf", "l.conf", 2, needs="lighttpd"),
    Case("redis-configuration", f"({_LONG} | sed 's/^/# /'; echo 'port 0'; echo 'save \"\"') > r.conf",
         "sed -i 's/^port 0/port zero/' r.conf",
         "sh -c '(echo ping; echo shutdown nosave) | timeout 5 redis-server r.conf --unixsocket $W/s & "
         "for i in 1 2 3 4 5 6 7 8 9 10; do redis-cli -s $W/s ping && redis-cli -s $W/s shutdown nosave; "
         "sleep 0.1; test -S $W/s || break; done; wait $!'",
         "r.conf", 201, needs="redis-server"),
    Case("redis-port-taken", "true", _TAKEN % 18183,
         "sh -c 'timeout 1 redis-server --bind 127.0.0.1 --port 18183 > out; test $? = 124'", "127.0.0.1:18183", needs="redis-server"),
    Case("configuration-among-200", f"(echo '[main]'; {_LONG}) > app.ini",
         "sed -i 's/option77 = 77/option77 = many/; s/option9 = 9$/option9 = 10/' app.ini",
         "python3 -c 'import configparser as c; p = c.ConfigParser(); p.read(\"app.ini\"); "
         "p.getint(\"main\", \"option77\")'", "app.ini", 78),
    Case("permission", "chmod 755 .; echo hello > data", "chmod 000 data; chown 1 data",
         "setpriv --reuid 65534 --clear-groups cat data", "data"),
    Case("time-zone", "cp /usr/share/zoneinfo/Europe/Berlin zone", "cp /usr/share/zoneinfo/Asia/Tokyo zone",
         "sh -c 'test $(TZ=:$W/zone date -d @0 +%H) = 01'", "zone"),
    Case("time-zone-variable", "true", "true", "sh -c 'test $(date -d @0 +%H) = 01'", "TZ",
         there="TZ=Europe/Berlin", here="TZ=Asia/Tokyo"),
    Case("locale", "true", "true", "sh -c 'test $(printf ä | wc -m) = 1'", "LC_ALL",
         there="LC_ALL=C.UTF-8", here="LC_ALL=C"),
    Case("path-order", "mkdir a b; printf '#!/bin/sh\\nexit 0\\n' > b/tool; chmod +x b/tool; "
         "cp b/tool a/tool; echo 'exit 3' >> a/tool; sed -i s/'exit 0'// a/tool", "true",
         "sh -c tool", "PATH", there="PATH=$W/b:$W/a:$PATH", here="PATH=$W/a:$W/b:$PATH"),
    Case("shadowed-program", "mkdir a b; printf '#!/bin/sh\\nexit 0\\n' > b/tool; chmod +x b/tool",
         "printf '#!/bin/sh\\nexit 3\\n' > a/tool; chmod +x a/tool", "sh -c 'PATH=$W/a:$W/b:$PATH tool'",
         "a/tool"),
    Case("library-version",
         "echo 'int f(void){return 0;}' > f.c; echo 'int f(void); int main(void){return f();}' > m.c; "
         "gcc -shared -fPIC -o libf.so f.c; gcc -o m m.c -L. -lf -Wl,-rpath,$W",
         "echo 'int f(void){return 7;}' > f.c; gcc -shared -fPIC -o libf.so f.c", "$W/m", "libf.so"),
    Case("home-unset", "git init -q repo; mkdir h; git config -f h/.gitconfig user.name x; "
         "git config -f h/.gitconfig user.email x@example.org", "true",
         "git -C repo commit-tree -m x 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "HOME",
         there="HOME=$W/h", here="HOME=$W/none"),
    Case("full-disk", "mkdir full", "mount -t tmpfs -o size=16k none full; head -c 16384 /dev/zero > full/x || true",
         "sh -c 'seq 3000 > full/out'", "full/out"),
    Case("open-files", "true", "true",
         "python3 -c 'f = [open(\"/dev/null\") for _ in range(100)]'", "open files", here="ulimit -Sn 40;"),
    Case("stale-lock", "git init -q repo; cd repo; echo a > a", "touch repo/.git/index.lock",
         "git -C repo add a", "index.lock"),
    Case("umask", "true", "true", "sh -c 'rm -f f; touch f; test $(stat -c %a f) = 644'", "umask",
         there="umask 022;", here="umask 077;"),
    Case("name-resolution", "echo '127.0.0.2 db.test' > hosts", "sed -i s/db.test/dx.test/ hosts",
         "python3 -c 'assert \"db.test\" in open(\"hosts\").read().split()'", "hosts", 1),
    Case("server-gone", "true", "kill $(cat holder)",
         "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 18184), 2)'",
         "127.0.0.1:18184", there=f"{_TAKEN % 18184};"),
    Case("missing-module", "mkdir lib; echo 'x = 1' > lib/helper.py", "rm -r lib",
         "env PYTHONPATH=lib python3 -B -c 'import helper'", "lib"),
    Case("sqlite-database", "sqlite3 d.db 'create table t(a); insert into t values(1)'",
         "sqlite3 d.db 'drop table t'", "sqlite3 -bail d.db 'select * from t'", "d.db"),
    Case("ssh-key-mode", "ssh-keygen -q -t ed25519 -N '' -f key", "chmod 644 key",
         "ssh-keygen -y -f key", "key"),
    Case("jq-input", "echo '{\"a\": 1,' > in.json; echo '\"b\": 2}' >> in.json",
         "sed -i s/2/two/ in.json", "jq . in.json", "in.json", 2),
    Case("make-include", "printf 'include rules.mk\\nall:\\n\\ttest $(V) = 1\\n' > Makefile; echo 'V = 1' > rules.mk",
         "echo 'V = 2' > rules.mk", "make -s all", "rules.mk", 1),
    Case("perl-library", "mkdir lib; echo 'package A; sub f { 1 } 1;' > lib/A.pm",
         "echo 'package A; sub f { 0 } 1;' > lib/A.pm", "perl -Ilib -MA -e 'exit !A::f()'", "lib/A.pm", 1),
    Case("dns-answer", _DNS % 2 + " echo $! > holder; sleep 1",
         "kill $(cat holder); " + _DNS % 3 + " echo $! > holder; sleep 1",
         "sh -c 'test $(dig @127.0.0.9 +short db.test) = 127.0.0.2'", "127.0.0.9:53", needs="dnsmasq"),
    Case("vsftpd-configuration",
         "printf 'listen=YES\\nlisten_port=18186\\nlisten_address=127.0.0.1\\nbackground=NO\\n"
         "secure_chroot_dir=/tmp\\nanonymous_enable=NO\\n' > v.conf",
         "sed -i s/anonymous_enable=NO/anonymous_enable=nein/ v.conf",
         "sh -c 'timeout 2 vsftpd $W/v.conf; test $? = 124'", "v.conf", 6, needs="vsftpd"),
    Case("postgres-configuration", _POSTGRES,
         "sed -i 's/^max_connections = 100/max_connections = 100kB/; s/^shared_buffers = .*/shared_buffers = 64MB/' data/postgresql.conf",
         f"{_NOBODY} postgres -D $W/data -C port", "postgresql.conf", 65, needs="postgres"),
    Case("postgres-folder-mode", _POSTGRES, "chmod 777 data",
         f"{_NOBODY} sh -c 'timeout 3 postgres -D $W/data -p 18187 -k $W/data; test $? = 124'", "data", needs="postgres"),
    Case("two-needed", "echo 1 > a; echo 1 > b", "echo 2 > a; echo 2 > b",
         "sh -c 'read x < a; read y < b; test $x$y = 11'", "a", 1),
)  # fmt: skip
