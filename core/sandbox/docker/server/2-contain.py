"""What keeps a command inside: mounts, devices, capabilities, system calls."""


# What Docker masks in a container's /proc; a /proc that is mounted anew has to be masked again.
PROC_HIDDEN = ("kcore", "keys", "timer_list", "timer_stats", "sched_debug", "latency_stats")
PROC_READ_ONLY = ("bus", "fs", "irq", "sys", "sysrq-trigger")
PROC_EMPTY = ("acpi", "scsi")


def furnish(root):
    """/proc, /sys and /dev of a branch, in the mount namespace of one command."""
    mount("proc", root + "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for name in PROC_READ_ONLY:
        path = root + "/proc/" + name
        if os.path.lexists(path):
            mount(path, path, None, MS_BIND | MS_REC)
            mount(None, path, None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for name in PROC_HIDDEN:
        path = root + "/proc/" + name
        if os.path.lexists(path):
            mount("/dev/null", path, None, MS_BIND)
    for name in PROC_EMPTY:
        path = root + "/proc/" + name
        if os.path.lexists(path):
            mount("tmpfs", path, "tmpfs", MS_RDONLY, "size=0")
    mount("/sys", root + "/sys", None, MS_BIND | MS_REC)
    mount(BASE + "/dev", root + "/dev", None, MS_BIND | MS_RDONLY)
    mount(None, root + "/dev", None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NOEXEC)
    mount("devpts", root + "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    mount("tmpfs", root + "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777,size=%d" % CONFIG.get("sharedMemoryBytes", 1 << 26))


def device_template():
    """A /dev with the usual devices, bound into every branch."""
    path = BASE + "/dev"
    os.makedirs(path)
    mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k")
    for name, major, minor in (
        ("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0),
    ):
        os.mknod(path + "/" + name, 0o666 | stat.S_IFCHR, os.makedev(major, minor))
        os.chmod(path + "/" + name, 0o666)
    for name, target in (
        ("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"), ("ptmx", "pts/ptmx"), ("core", "/proc/kcore"),
    ):
        os.symlink(target, path + "/" + name)
    os.mkdir(path + "/pts")
    os.mkdir(path + "/shm")
    mount(None, path, None, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NOEXEC, "mode=755,size=64k")


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        request = bytearray(struct.pack("16sh14x", b"lo", 1))
        fcntl.ioctl(link, 0x8914, request)  # SIOCSIFFLAGS, IFF_UP


CAP_SETGID, CAP_SETUID = 6, 7


def drop_privileges(keep=False):
    """No capability now, none to gain by exec, and none in a user namespace, which may not be made.

    With `keep`, those to become another user are left; becoming one takes them away.
    """
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    header = struct.pack("=II", 0x20080522, 0)
    left = 1 << CAP_SETGID | 1 << CAP_SETUID if keep else 0
    check(libc.syscall(SYSCALLS["capset"], header, struct.pack("=IIIIII", left, left, 0, 0, 0, 0)), "capset")
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    forbid_syscalls()


# Numbers of what a command without capabilities could still use to reach more kernel than it should.
X86_64 = {
    "audit": 0xC000003E, "capset": 126, "clone": 56, "clone3": 435,
    "denied": (272, 308, 165, 166, 155, 321, 298, 323, 248, 249, 250, 175, 313, 176, 246, 320, 169, 167, 168,
               163, 310, 311, 304, 303, 429, 428, 430, 431, 432, 433, 442, 425, 426, 427, 101),
}
AARCH64 = {
    "audit": 0xC00000B7, "capset": 91, "clone": 220, "clone3": 435,
    "denied": (97, 268, 40, 39, 41, 280, 241, 282, 217, 218, 219, 105, 273, 106, 104, 294, 142, 224, 225,
               89, 270, 271, 265, 264, 429, 428, 430, 431, 432, 433, 442, 425, 426, 427, 117),
}
SYSCALLS = {"x86_64": X86_64, "aarch64": AARCH64}[os.uname().machine]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def syscall_filter():
    """A seccomp filter: the denied calls fail with EPERM, new user namespaces too, clone3 with ENOSYS."""
    allow, deny, absent = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
    load = lambda offset: (0x20, 0, 0, offset)
    code = [load(4), (0x15, 1, 0, SYSCALLS["audit"]), (0x06, 0, 0, deny), load(0)]
    if SYSCALLS is X86_64:
        code += [(0x35, 0, 1, 0x40000000), (0x06, 0, 0, deny)]  # the x32 numbers
    code += [(0x15, 0, 1, SYSCALLS["clone3"]), (0x06, 0, 0, absent)]
    for number in SYSCALLS["denied"]:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, deny)]
    # clone: deny the flags of new namespaces (its first argument)
    code += [(0x15, 0, 3, SYSCALLS["clone"]), load(16), (0x45, 0, 1, 0x7E020080), (0x06, 0, 0, deny)]
    code += [(0x06, 0, 0, allow)]
    return ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in code), 8 * len(code))


# Made once: every branch needs it while somebody waits.
FILTER = syscall_filter()
FILTER_PROGRAM = Program(len(FILTER) // 8, ctypes.cast(FILTER, ctypes.c_void_p))


def forbid_syscalls():
    check(libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(FILTER_PROGRAM), 0, 0), "seccomp")
