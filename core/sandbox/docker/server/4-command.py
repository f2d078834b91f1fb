"""What happens between a fork and a command: guardians, users, shell state, leftovers."""


CONTROL_FD, REPORT_FD, STATE_FD = 7, 8, 9


class Refused(Exception):
    """A file operation that cannot be done; the message is for the caller."""


def guard(control, report):
    """In a forked child: starts what will be the command, waits for it, leaves nothing behind.

    All of this is done ahead, before there is a command: the process inside waits for its request on `control`.
    """
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("500")
    child = os.fork()
    if child == 0:
        os.setsid()
        wait_and_start(control, report)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.closerange(3, 4096)
    signal.signal(signal.SIGTERM, lambda *_: (kill_descendants(), os._exit(137)))
    while True:
        pid, status = os.wait()
        if pid == child:
            break
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    kill_descendants()
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def wait_and_start(control, report):
    """Waits for the request and becomes the command. What cannot be done is written to `report`."""
    request = {}
    try:
        text = bytearray()
        while True:
            data = os.read(control, 1 << 16)
            if not data:
                break
            text += data
        if not text:
            os._exit(0)  # not wanted any more
        os.close(control)
        request = json.loads(text.decode("utf8"))
        drop_user(become(CONFIG.get("user")))
        if request.get("merge"):
            os.dup2(1, 2)
        if not request.get("keep"):
            os.close(STATE_FD)
        cwd = request.get("cwd") or "/"
        try:
            os.chdir(cwd)
        except OSError as error:
            raise Refused("no such folder: %s (%s)" % (cwd, error.strerror))
        if "builtin" in request:
            BUILTINS[request["builtin"]](request)
            os._exit(0)
        start(request)
    except BaseException as error:
        tell(report, request, error)
    finally:
        os._exit(125)


def tell(report, request, error):
    if isinstance(error, Refused):
        kind, text = "file", str(error)
    elif isinstance(error, OSError):
        where = request.get("path") or error.filename
        kind = "file" if "builtin" in request else "server"
        text = "%s: %s" % (where, error.strerror) if where else str(error)
    else:
        kind, text = "server", repr(error)
    os.write(report, json.dumps({"error": kind, "message": text}).encode())


def become(name):
    """The (uid, gid, groups) of a user's name or number, as the branch's own passwd file has it."""
    if not name:
        return None
    name, _, group = str(name).partition(":")
    try:
        entry = pwd.getpwuid(int(name)) if name.isdigit() else pwd.getpwnam(name)
        return entry.pw_uid, int(group) if group else entry.pw_gid, os.getgrouplist(entry.pw_name, entry.pw_gid)
    except KeyError:
        if not name.isdigit():
            raise Refused("no such user: %s" % name)
        return int(name), int(group or name), []


def drop_user(user):
    if user is None:
        return
    os.setgroups(user[2])
    os.setgid(user[1])
    os.setuid(user[0])


# At the end of a script, whatever ended it, its folder and its exported variables go to file 9.
KEEP_SHELL = """trap '{ printf "%s\\0" "$PWD"; env -0; } >&9 9>&-' EXIT; eval "$1\""""
BASE_ENV = dict(os.environ)
# What Linux takes in one argument, in bytes.
LONGEST_ARGUMENT = 131072


def in_memory(text):
    """Name of a file that holds the text and that only this process and what it becomes can open."""
    fd = os.memfd_create("script", 0) if hasattr(os, "memfd_create") else libc.memfd_create(b"script", 0)
    data = text.encode("utf8", "surrogatepass")
    while data:
        data = data[os.write(fd, data):]
    return "/proc/self/fd/%d" % fd


FLEETING = ("_", "SHLVL", "PWD", "OLDPWD")


def shell_state(data):
    """What a script left behind, as the folder and the variables that differ from the container's own."""
    fields = data.decode("utf8", "replace").split("\0")
    if len(fields) < 2:
        return None
    pairs = (field.partition("=") for field in fields[1:] if field)
    env = {name: value for name, _, value in pairs if name not in FLEETING and BASE_ENV.get(name) != value}
    return {"cwd": fields[0], "env": env}


def execute(argv, env):
    """Becomes the program, which is looked for as a shell would. os.execvpe imports a module first: a millisecond."""
    if "/" in argv[0]:
        os.execve(argv[0], argv, env)
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for folder in env.get("PATH", os.defpath).split(":"):
        path = os.path.join(folder, argv[0])
        if os.path.exists(path):
            try:
                os.execve(path, argv, env)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    failure = error
    raise failure


def start(request):
    """Turns into the command."""
    for number in range(1, signal.NSIG):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            try:
                signal.signal(number, signal.SIG_DFL)
            except (OSError, ValueError):
                pass
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits = CONFIG.get("limits", {})
    for name, kind in (("dataBytes", "RLIMIT_DATA"), ("fileBytes", "RLIMIT_FSIZE"), ("openFiles", "RLIMIT_NOFILE")):
        if name in limits:
            resource.setrlimit(getattr(resource, kind), (limits[name], limits[name]))
    env = dict(BASE_ENV)
    env.update(request.get("env") or {})
    if "script" in request:
        shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
        script = request["script"]
        if len(script) > LONGEST_ARGUMENT // 4:
            script = ". " + in_memory(script)
        argv = [shell, "-c", KEEP_SHELL, shell, script] if request.get("keep") else [shell, "-c", script]
    else:
        argv = request["argv"]
    try:
        execute(argv, env)
    except OSError as error:
        missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
        os.write(2, ("%s: %s\n" % (argv[0], "not found" if missing else error.strerror)).encode("utf8", "surrogateescape"))
        os._exit(127 if missing else 126)
    except ValueError as error:
        os.write(2, ("%s\n" % error).encode())
        os._exit(126)


def kill_descendants():
    """Kills every process below this one, which adopts all that lose their parents (it is a subreaper)."""
    own = os.getpid()
    for _ in range(200):
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return  # whoever loses its parent becomes a child of this one, so nobody is left
        parents = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open("/proc/%s/stat" % name, "rb") as source:
                        fields = source.read().rpartition(b")")[2].split()
                except OSError:
                    continue
                if fields[0] != b"Z":
                    parents[int(name)] = int(fields[1])
        level, found = {own}, []
        while level:
            level = {pid for pid, parent in parents.items() if parent in level}
            found += level
        if not found:
            return
        # Parents first, and all stopped before the first dies: nobody sees a child's death and goes on.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
        time.sleep(0.001)
