"""Branches, each with an executor of its own, and the one wire to all of them."""


# So long nothing happens before what nobody waits for is done, unless there is too much of it.
QUIET_MS = 20
MOST_RETIRED = 16
# And so long before what could not be done for want of a process is tried again.
RETRY_MS = 500


class Router:
    """Process 1 of a container with branches: makes and unmakes them, and passes frames to and from them."""

    def __init__(self, wire):
        self.wire, self.groups = wire, None
        self.poll = select.poll()
        self.branches = Branches()
        self.lines = {}  # branch: (pid, Wire)
        self.by_fd = {}  # fd: branch
        self.keys = {}  # request under way: branch
        self.soon = []  # branches that should have an executor at once: they are new
        self.later = []  # and those whose owner has just had an answer, and is thinking
        self.retired = []  # executors and mounts of before a snapshot, to be ended when there is time
        self.own_pid_space = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def run(self):
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        wake = watch_children()
        self.branches.start()
        self.groups = Groups()
        self.wire.watch(self.poll)
        self.poll.register(wake, select.POLLIN)
        self.wire.answer(0, {"ready": True, "note": self.groups.note})
        while True:
            events = self.poll.poll(self.wait_ms())
            if not events or len(self.retired) > MOST_RETIRED:
                self.catch_up()
            for fd, event in events:
                if fd in (self.wire.source, self.wire.target):
                    frames = self.wire.turn(fd, event)
                    if frames is None:
                        os._exit(0)
                    for frame in frames:
                        self.handle(*frame)
                elif fd == wake:
                    os.read(wake, 4096)
                elif fd in self.by_fd:
                    self.relay(self.by_fd[fd], event)
            if self.wire.filled():
                # What branches write stays with them while their owner is slow to read.
                for _, line in self.lines.values():
                    line.watch(self.poll, not self.wire.full)
            self.reap()

    def wait_ms(self):
        if self.soon:
            return 0
        if self.later or self.retired:
            return QUIET_MS
        return RETRY_MS if self.branches.unneeded else None

    def handle(self, kind, key, payload):
        if kind != b"R":
            if key in self.keys:
                self.pass_on(self.keys[key], kind, key, payload)
            return
        try:
            request = json.loads(payload.decode("utf8"))
            operation, branch = request["op"], request.get("branch")
            if operation == "exec":
                self.line(branch)
                self.keys[key] = branch
                self.pass_on(branch, kind, key, payload)
            elif operation == "create":
                branch = self.branches.create(request.get("snapshot"))
                self.wire.answer(key, {"branch": branch})
                self.soon.append(branch)
            elif operation == "freeze":
                if branch in self.keys.values():
                    self.hang_up(branch)
                frozen, old = self.branches.freeze(branch)
                self.wire.answer(key, frozen)
                if old is not None:
                    self.retire(branch, old)
                    self.later.append(branch)
            elif operation == "release":
                self.branches.release(request["snapshot"])
                self.wire.answer(key, {})
            elif operation == "close":
                self.hang_up(branch)
                self.branches.close(branch)
                self.groups.close(branch)
                self.wire.answer(key, {})
        except KeyError as error:
            self.wire.answer(key, {"error": "gone", "message": "no such branch or snapshot: %s" % error})
        except OSError as error:
            self.wire.answer(key, {"error": "server", "message": str(error)})

    def catch_up(self):
        """Does one of the things that nobody waits for. What fails is left to whoever will need it."""
        try:
            self.do_next()
        except OSError:
            pass

    def do_next(self):
        if self.soon:
            branch = self.soon.pop(0)
        elif self.retired:
            pid, fd, old = self.retired.pop(0)
            if pid is not None:
                os.close(fd)  # the executor ends at the end of its input
            self.branches.lift(old)
            return
        elif self.later:
            branch = self.later.pop(0)
        else:
            self.branches.remove_unneeded()
            return
        if branch in self.branches.branches:
            self.line(branch)

    def retire(self, branch, old):
        """Takes an idle executor off a branch whose mount has changed; it is ended when there is time."""
        pid, wire = self.lines.pop(branch, (None, None))
        if pid is not None:
            self.poll.unregister(wire.source)
            del self.by_fd[wire.source]
        self.retired.append((pid, wire and wire.source, old))

    def line(self, branch):
        """The wire to a branch's executor, which is started if there is none."""
        if branch in self.lines:
            return self.lines[branch][1]
        root = self.branches.branches[branch]["root"]
        group = self.groups.create(branch)
        ours, theirs = socket.socketpair()
        try:
            pid = self.start_executor(root, theirs.fileno(), group)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        fd = ours.detach()
        wire = Wire(fd, fd)
        self.lines[branch] = (pid, wire)
        self.by_fd[fd] = branch
        wire.watch(self.poll, not self.wire.full)
        return wire

    def start_executor(self, root, fd, group):
        check(libc.unshare(CLONE_NEWPID), "unshare")
        try:
            pid = os.fork()
            if pid == 0:
                self.become_executor(root, fd, group)
            return pid
        except OSError as error:
            raise OSError(error.errno, "no process can be started for the branch, which `pids` may forbid: %s" % error.strerror)
        finally:
            # Also after a failure: who is between two spaces can make no further one.
            check(libc.setns(self.own_pid_space, CLONE_NEWPID), "setns")

    def become_executor(self, root, fd, group):
        try:
            signal.set_wakeup_fd(-1)
            os.dup2(fd, 3)
            null = os.open("/dev/null", os.O_RDWR)
            for number in (0, 1):
                os.dup2(null, number)
            os.closerange(4, 4096)
            if group is not None:
                group.enter()
            enter(root)
            Executor(Wire(3, 3), group).run()
        except BaseException as error:
            os.write(2, ("branch: %r\n" % error).encode())
        finally:
            os._exit(1)

    def pass_on(self, branch, kind, key, payload):
        try:
            self.lines[branch][1].send(kind, key, payload)
        except (OSError, KeyError):
            self.hang_up(branch)

    def relay(self, branch, event):
        wire = self.lines[branch][1]
        frames = wire.turn(wire.source, event)
        if frames is None:
            self.hang_up(branch)
            return
        for kind, key, payload in frames:
            if kind == b"A":
                self.keys.pop(key, None)
            self.wire.send(kind, key, payload)

    def hang_up(self, branch):
        """Ends a branch's executor and with it everything that runs there; its requests are answered."""
        pid, wire = self.lines.pop(branch, (None, None))
        if pid is None:
            return
        self.poll.unregister(wire.source)
        del self.by_fd[wire.source]
        os.close(wire.source)
        busy = branch in self.keys.values()
        try:
            os.kill(pid, signal.SIGKILL)
            if busy:
                os.waitpid(pid, 0)  # else nothing runs there that could write, and nobody waits for its end
        except OSError:
            pass
        for key in [key for key, where in self.keys.items() if where == branch]:
            del self.keys[key]
            self.wire.answer(key, {"error": "server", "message": "the branch was closed or killed while a command ran"})

    def reap(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            pass


def enter(root):
    """Process 1 of new namespaces walls itself in: its own root, processes, mounts, network, and no capability."""
    spaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS
    check(libc.unshare(spaces | (0 if CONFIG.get("network") else CLONE_NEWNET)), "unshare")
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    if not CONFIG.get("network"):
        loopback_up()
    furnish(root)
    os.chroot(root)
    os.chdir("/")
    drop_privileges(keep=bool(CONFIG.get("user")))


def main():
    gc.freeze() if hasattr(gc, "freeze") else None  # forks share what is there already
    wire = Wire(0, 1)
    if OVERLAY:
        Router(wire).run()
    wire.answer(0, {"ready": True})
    Executor(wire).run()


main()
