"""The command server of a container: process 1, spoken to over its standard input and output.

Runs commands, reads and writes files, and in overlay mode keeps the branches: each is an overlay mount of its own
upper directory over frozen ones over the image. Needs nothing but Python 3.5 and Linux. It ends when its input
does, and the container with it, so that no container outlives its owner.

A frame either way is: length of the payload (4 bytes), type (1 byte), id of the request (4 bytes), payload.
To the server: R request (JSON), D input of a command, E end of that input, K kill.
From the server: O output (stream, 0 head or 1 tail, then bytes), W so many more bytes of the input were taken (4 bytes),
A answer (JSON), which is a request's last frame.

Nobody here ever waits for room to write. What has no room is kept, and while much is kept, its source is not read.
"""

import collections
import ctypes
import errno
import fcntl
import gc
import json
import os
import pwd
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import sys
import tarfile
import time

BASE = "/.forkgym"
CONFIG = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
OVERLAY = CONFIG.get("overlay", False)

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_REC, MS_PRIVATE, MNT_DETACH = 16384, 1 << 18, 2
PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 4, 24, 38, 22
PR_SET_CHILD_SUBREAPER, PR_CAP_AMBIENT, PR_SET_PDEATHSIG = 36, 47, 1


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def mount(source, target, kind=None, flags=0, data=None):
    encode = lambda text: None if text is None else text.encode()
    check(libc.mount(encode(source), encode(target), encode(kind), flags, encode(data)), "mount " + target)


def unmount(target):
    check(libc.umount2(target.encode(), MNT_DETACH), "unmount " + target)
