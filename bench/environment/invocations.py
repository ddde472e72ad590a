"""Which invocations of real programs are compared, recorded and plain?"""

# ruff: noqa: E501 - a shell command on one line is easier to read

from __future__ import annotations

from collections.abc import Iterator

# The folder of an invocation: some texts, a repository and a C program.
PREPARE = (
    "mkdir d d/e && seq 40 > n && printf 'pear 3\\napple 1\\nfig 2\\napple 0\\n' > t && "
    "cp t d/u && cp n d/e/v && ln -s t l && printf 'int f(int x) { return x * 3; }\\n' > f.c && "
    "printf '#include <stdio.h>\\nint f(int);\\nint main(void) { printf(\"%d\\\\n\", f(4)); }\\n' > m.c && "
    "sqlite3 db 'create table a(x, y); insert into a values (1, 2), (3, 4), (5, 6)' && "
    "git init -q g && cd g && git config user.name x && git config user.email x@example.org && "
    "cp ../t ../n . && git add . && GIT_AUTHOR_DATE='@1000000000 +0000' GIT_COMMITTER_DATE='@1000000000 +0000' git commit -q -m a && "
    "echo kiwi 4 >> t"
)

_OPTIONS = {
    "cat": ("t", "-n t n", "-A t", "none", "t none", "-s n", "- < t"),
    "sort": ("t", "-r t", "-n n", "-k2 t", "-u t", "-R --random-source=n t", "-c t", "-S 1M n", "t n"),
    "wc": ("t", "-l n", "-c t n", "-w t", "-m t", "none"),
    "head": ("-3 n", "-c 5 t", "-n -2 n", "none"),
    "tail": ("-3 n", "-c 5 t", "-n +3 n"),
    "cut": ("-d' ' -f1 t", "-c2-4 n", "-f2 t"),
    "tr": ("a-z A-Z < t", "-d a < t", "-s 1 < n"),
    "uniq": ("t", "-c n", "-d t"),
    "paste": ("t n", "-s t", "-d, t n"),
    "join": ("t t", "-v1 t n"),
    "comm": ("t n", "-12 n n"),
    "ls": ("", "-a", "-R", "d", "none", "-1 d/e", "-F", "-d */"),
    "stat": ("-c %s t", "-c '%a %F' d l", "none"),
    "cp": ("t x && cat x", "-r d x && ls -R x", "none x", "-a d x && ls x"),
    "mv": ("t x && cat x", "d x && ls x", "none x"),
    "rm": ("t && ls", "d", "-r d && ls", "-f none", "none"),
    "mkdir": ("x && ls", "-p x/y/z && ls -R x", "d", "none/x"),
    "touch": ("x && ls x", "-c x", "none/x"),
    "ln": ("t x && cat x", "-s t x && cat x", "t t"),
    "readlink": ("l", "-f l | sed s,.*/,,", "t"),
    "chmod": ("600 t && stat -c %a t", "-w t && stat -c %a t", "7777777 t"),
    "md5sum": ("t n", "-c none", "none"),
    "sha256sum": ("t", "n d/e/v"),
    "cksum": ("t", "n"),
    "od": ("-c t", "-An -tx1 t"),
    "seq": ("5", "3 -1 1", "0 .5 2", "x"),
    "expr": ("3 + 4", "abc : a", "1 / 0"),
    "test": ("-f t", "-d t", "3 -gt 2"),
    "dd": ("if=n bs=7 count=3 status=none", "if=none status=none"),
    "split": ("-l 10 n && ls && cat xab",),
    "tee": ("x < t && cat x",),
    "env": ("-i A=1 env", "-u HOME sh -c 'echo ${HOME-none}'"),
    "date": ("-u -d @0", "-d x"),
    "id": ("-u", "-g"),
    "pwd": ("| sed s,.*/,,",),
    "basename": ("a/b.c .c",),
    "xargs": ("echo < t", "-n 2 echo < n", "-P 2 -n 20 true < n"),
    "sed": ("s/a/b/ t", "-n 2p t", "-i s/a/b/ t && cat t", "x none"),
    "tar": ("cf - t n | cksum", "cf x.tar d && tar tf x.tar", "xf none", "cf x.tar t && rm t && tar xf x.tar && cat t"),
    "gzip": ("-nc t | cksum", "t && gzip -d t.gz && cat t", "-d t"),
    "git": ("-C g log --oneline", "-C g status --short", "-C g diff", "-C g show --stat", "-C g grep apple",
            "-C g rev-parse HEAD", "-C g ls-files -s", "-C g add t && git -C g status -s", "-C g stash && cat g/t",
            "-C g branch x && git -C g branch", "-C g checkout -q none", "-C d status", "-C g blame -s n | head -2",
            "-C g cat-file -p HEAD^{tree}", "-C g count-objects", "-C g fsck", "-C g gc -q && git -C g log --oneline",
            "clone -q g c && ls c", "init -q i && ls -a i", "-C g commit -qam b && git -C g show -s --format=%s"),
    "python3": ("-c 'print(1)'", "-c 'import json; print(json.dumps([1, {}]))'", "-c 'print(open(\"t\").read())'",
                "-c 'open(\"none\")' 2>&1 | tail -1", "-c 'import os; print(sorted(os.listdir()))'",
                "-c 'import subprocess as s; print(s.run([\"cat\", \"t\"], capture_output=True).stdout)'",
                "-c 'import threading as t; x = []; a = [t.Thread(target=x.append, args=(i,)) for i in range(9)]; "
                "[i.start() for i in a]; [i.join() for i in a]; print(sorted(x))'",
                "-c 'import sqlite3; print(sqlite3.connect(\"db\").execute(\"select sum(x) from a\").fetchall())'",
                "-c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-1, -2]))'",
                "-c 'import tempfile; f = tempfile.TemporaryFile(); f.write(b\"x\"); f.seek(0); print(f.read())'",
                "-c 'import sys; sys.exit(7)'", "-c 'import os; os.kill(os.getpid(), 15)'",
                "-c 'import socket as s; a, b = s.socketpair(); a.send(b\"hi\"); print(b.recv(9))'",
                "-c 'import asyncio; asyncio.run(asyncio.sleep(0.01)); print(1)'", "-m json.tool t",
                "-c 'import mmap; f = open(\"t\"); print(mmap.mmap(f.fileno(), 0, access=1)[:5])'"),
    "sqlite3": ("db 'select * from a'", "db 'insert into a values (7, 8); select count(*) from a'", "db .schema",
                "db 'select z from a'", ":memory: 'select 1 + 2'", "db .dump", "db 'vacuum; select max(y) from a'"),
    "gcc": ("-c f.c && ls f.o", "f.c m.c -o p && ./p", "-E f.c | tail -1", "-S f.c && ls f.s", "none.c", "-O2 f.c m.c -o p && ./p",
            "-shared -fPIC f.c -o libf.so && gcc m.c -L. -lf -Wl,-rpath,. -o p && ./p", "--version | head -1"),
    "perl": ("-e 'print 1+2'", "-ne 'print if /a/' t", "-MPOSIX -e 'print floor(2.5)'"),
    "jq": (". < /dev/null", "-n '[1,2]|add'"),
    "sh": ("-c 'cat t | sort | uniq -c'", "-c 'sleep 0.05 & wait; echo $?'", "-c 'exit 3'", "-c 'kill -9 $$'",
           "-c 'trap \"echo got\" USR1; kill -USR1 $$; echo end'", "-c 'echo a > x; read y < x; echo $y'",
           "-c 'for i in 1 2 3; do cat n | wc -l; done'", "-c '(cd d && ls)'", "-c 'umask 077; touch x; stat -c %a x'"),
    "awk": ("'{print $2}' t", "'{s += $1} END {print s}' n"),
    "openssl": ("version | cut -c1-7", "dgst -sha1 t"),
    "ssh-keygen": ("-l -f t",),
    "zip": ("-q x.zip t n && unzip -l x.zip | tail -1",),
}  # fmt: skip


def invocations() -> Iterator[str]:
    """Yield shell commands that print the same each time they run in a fresh folder."""
    for program, options in _OPTIONS.items():
        yield from (f"{program} {words}" for words in options)
