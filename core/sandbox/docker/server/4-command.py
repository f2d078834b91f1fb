"""What happens between a request and its end: guardians, users, shell state, leftovers."""


# Where a script's shell leaves its state: a number that no script takes for a file of its own.
STATE_FD = 963


class Refused(Exception):
    """A file operation that cannot be done; the message is for the caller."""


def guard(control):
    """Runs one command after another: starts it, waits for it, leaves nothing behind, says so. Ends when `control` does.

    Nothing is forked but the command itself, and that only where it has to be: the pages of a Python are slow to copy.
    """
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("500")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not select.select([control], [], [], 0)[0]:
        rehearse()
    while True:
        signal.signal(signal.SIGTERM, lambda *_: (kill_descendants(), os._exit(137)))
        request, files = receive(control)
        if request is None:
            os._exit(0)
        code = run(request, files, control)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        kill_descendants()
        os.chdir("/")
        say(control, {"code": code})


def receive(control):
    """The next request and the files of its command: input, output, error, and state if that is kept."""
    room = socket.CMSG_SPACE(5 * struct.calcsize("i"))
    data, ancillary, _, _ = control.recvmsg(1, room, socket.MSG_CMSG_CLOEXEC)
    if not data:
        return None, []
    files = list(struct.unpack("%di" % (len(ancillary[0][2]) // 4), ancillary[0][2]))
    with os.fdopen(files.pop(0), "rb") as source:
        source.seek(0)
        return json.loads(source.read().decode("utf8")), files


def run(request, files, control):
    """Does what is asked, to the end. Returns the exit code; what is not a command's own failure goes to `control`."""
    try:
        if APART:
            pid = start_apart(request, files, control)
        elif "builtin" in request:
            return do_builtin(request, files)
        else:
            pid = spawn(request, files)
    except NoProgram as error:
        os.write(files[1 if request.get("merge") else 2], error.line())
        return error.code
    except BaseException as error:
        tell(control, request, error)
        return 125
    finally:
        for fd in files:
            os.close(fd)
    while True:
        ended, status = os.wait()
        if ended == pid:
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def start_apart(request, files, control):
    """Forks the command, which needs more done in its own process than a spawn does."""
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        place(request, files)
        user = become(CONFIG.get("user"))
        drop_user(user)
        if "builtin" in request:
            BUILTINS[request["builtin"]](request)
            os._exit(0)
        enter_folder(request)
        for name, kind in (("dataBytes", "RLIMIT_DATA"), ("fileBytes", "RLIMIT_FSIZE"), ("openFiles", "RLIMIT_NOFILE")):
            if name in LIMITS:
                resource.setrlimit(getattr(resource, kind), (LIMITS[name], LIMITS[name]))
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        home = user[3] if user and not CONFIG.get("imageHome") else None
        if home and request.get("keep"):
            say(control, {"home": home})
        argv, env = command_of(request, home)
        start(argv, env, lambda path: os.execve(path, argv, env))
    except NoProgram as error:
        os.write(2, error.line())
        os._exit(error.code)
    except BaseException as error:
        tell(control, request, error)
    finally:
        os._exit(125)


def spawn(request, files):
    """Starts the command without a copy of this process."""
    enter_folder(request)
    argv, env = command_of(request)
    places = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in zip((0, 1, 2, STATE_FD), files)]
    if request.get("merge"):
        places.append((os.POSIX_SPAWN_DUP2, files[1], 2))
    given = {"file_actions": places, "setsid": True, "setsigmask": [], "setsigdef": SIGNALS}
    try:
        return start(argv, env, lambda path: os.posix_spawn(path, argv, env, **given))
    finally:
        close_script()


def place(request, files):
    """The files of a command, at their numbers."""
    for number, fd in zip((0, 1, 2, STATE_FD), files):
        os.dup2(fd, number)
    if request.get("merge"):
        os.dup2(1, 2)


def do_builtin(request, files):
    """A file operation, in this very process."""
    null = os.open("/dev/null", os.O_RDWR)
    place(request, files[:3])
    try:
        BUILTINS[request["builtin"]](request)
        return 0
    finally:
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.close(null)


def enter_folder(request):
    cwd = request.get("cwd") or "/"
    try:
        os.chdir(cwd)
    except OSError as error:
        raise Refused("no such folder: %s (%s)" % (cwd, error.strerror))


def say(control, value):
    control.sendall(json.dumps(value).encode() + b"\n")


def tell(control, request, error):
    if isinstance(error, Refused):
        kind, text = "file", str(error)
    elif isinstance(error, OSError):
        where = request.get("path") or error.filename
        kind = "file" if "builtin" in request else "server"
        text = "%s: %s" % (where, error.strerror) if where else str(error)
    else:
        kind, text = "server", repr(error)
    say(control, {"error": kind, "message": text})


def become(name):
    """The (uid, gid, groups, home) of a user's name or number, as the branch's own passwd file has it."""
    if not name:
        return None
    name, _, group = str(name).partition(":")
    try:
        entry = pwd.getpwuid(int(name)) if name.isdigit() else pwd.getpwnam(name)
        groups = os.getgrouplist(entry.pw_name, entry.pw_gid)
        return entry.pw_uid, int(group) if group else entry.pw_gid, groups, entry.pw_dir
    except KeyError:
        if not name.isdigit():
            raise Refused("no such user: %s" % name)
        return int(name), int(group or name), [], "/"


def drop_user(user):
    if user is None:
        return
    os.setgroups(user[2])
    os.setgid(user[1])
    os.setuid(user[0])


# At the end of a script, whatever ended it, its folder and its exported variables go to that file. By its path, since
# the smaller shells know no number above 9, and `env` by its own, since a script may have changed where it is looked for.
KEEP_SHELL = """trap '{ printf "%%s\\0" "$PWD"; %s -0; } > /proc/self/fd/%d' EXIT; eval "$1\""""


def given_env():
    """The variables that this process was started with: Python may have set LC_CTYPE, for itself."""
    env = dict(os.environ)
    with open("/proc/self/environ", "rb") as source:
        if not any(pair.startswith(b"LC_CTYPE=") for pair in source.read().split(b"\0")):
            env.pop("LC_CTYPE", None)
    return env


BASE_ENV = given_env()
# What Linux takes in one argument, in bytes.
LONGEST_ARGUMENT = 131072


script_fd = None


def in_memory(text):
    """Name of a file that holds the text and that only this process and what it becomes can open."""
    global script_fd
    script_fd = memory_file(text.encode("utf8", "surrogatepass"))
    os.set_inheritable(script_fd, True)
    return "/proc/self/fd/%d" % script_fd


def close_script():
    global script_fd
    if script_fd is not None:
        os.close(script_fd)
        script_fd = None


def memory_file(data):
    """A nameless file in memory."""
    fd = os.memfd_create("forkgym") if hasattr(os, "memfd_create") else libc.memfd_create(b"forkgym", 1)
    while data:
        data = data[os.write(fd, data):]
    return fd


FLEETING = ("_", "SHLVL", "PWD", "OLDPWD")


def shell_state(data, home):
    """What a script left behind, as the folder and how its variables differ from a command's own.

    Without variables where `env` could not be run.
    """
    fields = data.decode("utf8", "replace").split("\0")
    if len(fields) < 2:
        return None
    if not any(fields[1:]):
        return {"cwd": fields[0]}
    base = dict(BASE_ENV, HOME=home) if home else BASE_ENV
    all_of_it = {name: value for name, _, value in (field.partition("=") for field in fields[1:] if field)}
    env = {name: value for name, value in all_of_it.items() if name not in FLEETING and base.get(name) != value}
    unset = sorted(name for name in base if name not in FLEETING and name not in all_of_it)
    return dict({"cwd": fields[0], "env": env}, **({"unset": unset} if unset else {}))


class NoProgram(Exception):
    """The command cannot be started: a failure of its own, as in a shell."""

    def __init__(self, name, error):
        self.name, self.error = name, error
        missing = isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR)
        self.code, self.why = (127, "not found") if missing else (126, getattr(error, "strerror", None) or str(error))

    def line(self):
        return ("%s: %s\n" % (self.name, self.why)).encode("utf8", "surrogateescape")


def start(argv, env, program):
    """Calls `program` with the path that a shell would take. os.execvpe imports a module first: a millisecond."""
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    folders = [None] if "/" in argv[0] else env.get("PATH", os.defpath).split(":")
    for folder in folders:
        path = argv[0] if folder is None else os.path.join(folder, argv[0])
        if folder is None or os.path.exists(path):
            try:
                return program(path)
            except OSError as error:
                if error.errno in (errno.EAGAIN, errno.ENOMEM):
                    raise  # no process may be made now
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    failure = error
            except ValueError as error:
                failure = error  # a NUL in an argument
    raise NoProgram(argv[0], failure)


# The signals whose handling a command should not inherit, and what each of its processes may use.
SIGNALS = sorted(set(range(1, signal.NSIG)) - {signal.SIGKILL, signal.SIGSTOP, 32, 33})
LIMITS = CONFIG.get("limits", {})
# Whether a command needs more done in its own process than a spawn does. Python 3.7 has no spawn.
APART = bool(CONFIG.get("user") or LIMITS) or not hasattr(os, "posix_spawn")


def command_of(request, home=None):
    """A command's argv and variables."""
    env = dict(BASE_ENV, HOME=home) if home else dict(BASE_ENV)
    for name in request.get("unset") or ():
        env.pop(name, None)
    env.update(request.get("env") or {})
    if "script" not in request:
        return request["argv"], env
    shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
    script = request["script"]
    if len(script) > LONGEST_ARGUMENT // 4:
        script = ". " + in_memory(script)
    if not request.get("keep"):
        return [shell, "-c", script], env
    lister = "/usr/bin/env" if os.path.exists("/usr/bin/env") else "env"
    return [shell, "-c", KEEP_SHELL % (lister, STATE_FD), shell, script], env


def rehearse():
    """Does what every request needs once, before there is one: the pages that it touches are copied now."""
    request = json.loads(json.dumps({"argv": ["true"], "cwd": "/", "env": {"A": "1"}, "keep": False}))
    argv, env = command_of(request)
    try:
        start(argv, env, lambda path: path)
    except NoProgram:
        pass


def living_below(root, spared=()):
    """Processes below one, parents first, but for those of `spared` and below them."""
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
    level, found = {root}, []
    while level:
        level = {pid for pid, parent in parents.items() if parent in level and pid not in spared}
        found += level
    return found


def kill_all(pids):
    """Parents first, and all stopped before the first dies: nobody sees a child's death and goes on."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except OSError:
                pass


def kill_descendants():
    """Kills every process below this one, which adopts all that lose their parents (it is a subreaper)."""
    for _ in range(200):
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return  # whoever loses its parent becomes a child of this one, so nobody is left
        found = living_below(os.getpid())
        if not found:
            return
        kill_all(found)
        time.sleep(0.001)
