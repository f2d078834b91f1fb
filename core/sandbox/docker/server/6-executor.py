"""Runs commands and collects what they write."""


class Stream:
    """Head and tail of one output, or all of it at once if `limit` is None."""

    def __init__(self, number, limit, send):
        self.number, self.limit, self.send = number, limit, send
        self.head, self.tail, self.omitted = bytearray(), bytearray(), 0

    def add(self, data):
        if self.limit is None:
            self.send(self.number, 0, data)
            return
        room = (self.limit + 1) // 2 - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if data:
            self.tail += data
            if len(self.tail) > 4 * self.limit + (1 << 20):
                self.shorten()

    def shorten(self):
        extra = len(self.tail) - self.limit // 2
        if extra > 0:
            del self.tail[:extra]
            self.omitted += extra

    def finish(self):
        if self.limit is None:
            return 0
        self.shorten()
        for part, data in ((0, self.head), (1, self.tail)):
            for at in range(0, len(data), 1 << 20):
                self.send(self.number, part, bytes(data[at:at + (1 << 20)]))
        return self.omitted


STATE_LIMIT = 1 << 21


# What the commands of one branch may use together, looked at so often while any runs.
BRANCH_LIMITS = CONFIG.get("branch", {})
LOOK_SECONDS = 0.1
PAGE_BYTES = resource.getpagesize()


class Warm:
    """A guardian that waits for a command."""

    def __init__(self, pid, own):
        self.pid, self.status = pid, None
        self.input, output, error, self.report, state, self.control = own
        self.outputs = {0: output, 1: error, 2: state}

    def died(self):
        if self.status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.status = status if pid == self.pid else None
            except ChildProcessError:
                self.status = 9
        return self.status is not None

    def close(self):
        for fd in [self.input, self.report, self.control] + list(self.outputs.values()):
            os.close(fd)


class Job:
    def __init__(self, server, key, request, warm):
        self.key, self.pid, self.started = key, warm.pid, time.monotonic()
        self.deadline = self.started + request["timeoutMs"] / 1000.0 if request.get("timeoutMs") else None
        self.timed_out = False
        self.input, self.report = warm.input, warm.report
        self.pending = bytearray()
        self.input_ended = False
        self.report_text = bytearray()
        self.keep, self.merge, self.over = bool(request.get("keep")), bool(request.get("merge")), False
        limit = request.get("outputBytes")
        send = lambda stream, part, data: server.send(b"O", key, bytes((stream, part)) + data)
        self.streams = {
            fd: Stream(number, STATE_LIMIT if number == 2 else limit, send) for number, fd in warm.outputs.items()
        }
        self.all_streams = list(self.streams.values())
        self.status = None
        self.drain_until = None

    def done(self):
        return self.status is not None and not self.streams and self.report is None


class Wire:
    """Frames in and out of two files."""

    def __init__(self, source, target):
        self.source, self.target, self.buffer = source, target, bytearray()

    def receive(self):
        """The frames that are complete now; None at the end of the input."""
        try:
            data = os.read(self.source, 1 << 20)
        except OSError:
            data = b""
        if not data:
            return None
        self.buffer += data
        frames = []
        while len(self.buffer) >= 9:
            length, kind, key = struct.unpack_from("<IcI", self.buffer)
            if len(self.buffer) < 9 + length:
                break
            frames.append((kind, key, bytes(self.buffer[9:9 + length])))
            del self.buffer[:9 + length]
        return frames

    def send(self, kind, key, payload):
        view = memoryview(struct.pack("<IcI", len(payload), kind, key) + payload)
        while view:
            view = view[os.write(self.target, view):]

    def answer(self, key, value):
        self.send(b"A", key, json.dumps(value).encode())


def watch_children():
    """A file that can be read from when a child has ended."""
    wake, wake_in = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_in)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    return wake


class Executor:
    """Runs commands where it is: process 1 of a container, or of a branch."""

    def __init__(self, wire, group=None):
        self.wire, self.group = wire, group
        self.send, self.answer = wire.send, wire.answer
        self.poll = select.poll()
        self.jobs = {}  # id: Job
        self.fds = {}  # fd: Job
        self.warm = None
        self.want_warm = True
        self.looked_at = 0

    def run(self):
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        wake = watch_children()
        self.poll.register(self.wire.source, select.POLLIN)
        self.poll.register(wake, select.POLLIN)
        while True:
            events = self.poll.poll(0 if self.want_warm else self.wait_ms())
            if not events and self.want_warm:
                self.want_warm = False
                try:
                    self.warm = self.warm or self.prepare()
                except OSError:
                    pass  # no process may be made now: the next command tries again
            for fd, _ in events:
                if fd == self.wire.source:
                    frames = self.wire.receive()
                    if frames is None:
                        os._exit(0)
                    for frame in frames:
                        self.handle(*frame)
                elif fd == wake:
                    os.read(wake, 4096)
                elif fd in self.fds:
                    self.transfer(fd)
            self.reap()
            self.enforce()

    def wait_ms(self):
        times = [job.deadline for job in self.jobs.values() if job.deadline is not None and job.status is None]
        times += [job.drain_until for job in self.jobs.values() if job.drain_until is not None]
        if self.jobs and BRANCH_LIMITS:
            times.append(self.looked_at + LOOK_SECONDS)
        return max(0, int((min(times) - time.monotonic()) * 1000) + 1) if times else None

    def handle(self, kind, key, payload):
        job = self.jobs.get(key)
        if kind == b"R":
            try:
                self.launch(key, json.loads(payload.decode("utf8")))
            except OSError as error:
                self.answer(key, {"error": "server", "message": str(error)})
        elif job is not None and kind == b"D":
            job.pending += payload
            self.feed(job)
        elif job is not None and kind == b"E":
            job.input_ended = True
            self.feed(job)
        elif job is not None and kind == b"K":
            self.kill(job)

    def launch(self, key, request):
        warm, self.warm = self.warm, None
        if warm is not None and warm.died():
            warm.close()  # a command may kill all that it sees
            warm = None
        warm = warm or self.prepare()
        data = json.dumps(request).encode()
        os.set_blocking(warm.control, True)
        try:
            while data:
                data = data[os.write(warm.control, data):]
        except BrokenPipeError:
            pass  # it died while it waited: its status will say so
        os.close(warm.control)
        if not request.get("keep"):
            os.close(warm.outputs.pop(2))
        job = Job(self, key, request, warm)
        self.jobs[key] = job
        for fd in list(job.streams) + [job.report, job.input]:
            os.set_blocking(fd, False)
            self.fds[fd] = job
        for fd in list(job.streams) + [job.report]:
            self.poll.register(fd, select.POLLIN)
        self.want_warm = True

    def prepare(self):
        """Forks a guardian that waits for a command."""
        pipes = [os.pipe() for _ in range(6)]  # input, output, error, report, state, control
        own = [pipes[0][1], pipes[1][0], pipes[2][0], pipes[3][0], pipes[4][0], pipes[5][1]]
        given = [pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][1], pipes[4][1], pipes[5][0]]
        pid = os.fork()
        if pid == 0:
            self.become_guardian(given)
        for fd in given:
            os.close(fd)
        return Warm(pid, own)

    def become_guardian(self, given):
        """Keeps the six files of the command and closes every other one of the server's."""
        try:
            signal.set_wakeup_fd(-1)
            # First out of each other's way, then to their places.
            moved = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in given]
            for number, fd in zip((0, 1, 2, REPORT_FD, STATE_FD, CONTROL_FD), moved):
                os.dup2(fd, number, inheritable=number not in (REPORT_FD, CONTROL_FD))
            os.closerange(3, CONTROL_FD)
            os.closerange(STATE_FD + 1, 65536 if len(self.fds) > 2000 else 4096)
            guard(CONTROL_FD, REPORT_FD)
        except BaseException as error:
            tell(REPORT_FD, {}, error)
        finally:
            os._exit(125)

    def feed(self, job):
        """Writes what a command is to read, as far as its pipe has room."""
        if job.input is None:
            job.pending.clear()
            return
        try:
            while job.pending:
                written = os.write(job.input, job.pending[:1 << 16])
                del job.pending[:written]
        except BlockingIOError:
            self.poll.register(job.input, select.POLLOUT)
            return
        except OSError:
            job.pending.clear()
            job.input_ended = True
        if job.input_ended and not job.pending:
            self.forget(job.input)
            job.input = None

    def forget(self, fd):
        try:
            self.poll.unregister(fd)
        except KeyError:
            pass
        self.fds.pop(fd, None)
        os.close(fd)

    def transfer(self, fd):
        job = self.fds[fd]
        if fd == job.input:
            self.poll.unregister(fd)
            self.feed(job)
            return
        try:
            data = os.read(fd, 1 << 18)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if fd == job.report:
            job.report_text += data
        elif data:
            job.streams[fd].add(data)
        if not data:
            self.forget(fd)
            job.streams.pop(fd, None)
            if fd == job.report:
                job.report = None
        self.finish(job)

    def kill(self, job):
        if job.status is None:
            try:
                os.kill(job.pid, signal.SIGTERM)
            except OSError:
                pass

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self.warm is not None and self.warm.pid == pid:
                self.warm.status = status
            for job in list(self.jobs.values()):
                if job.pid == pid:
                    self.ended(job, status)

    def ended(self, job, status):
        if self.group is not None and not job.over:
            self.tell_over(job, self.group.exceeded())
        job.status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        job.drain_until = time.monotonic() + 0.5
        if os.WIFSIGNALED(status):
            # A command that kills its guardian may have killed the one that waits too, though it is not dead yet.
            if self.warm is not None:
                self.warm.close()
                self.warm, self.want_warm = None, True
            self.kill_orphans()
        self.finish(job)

    def kill_orphans(self):
        """A command may kill its guardian; its processes then are process 1's, which is this one."""
        guardians = {job.pid for job in self.jobs.values()} | ({self.warm.pid} if self.warm else set())
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == 1 or int(name) in guardians:
                continue
            try:
                with open("/proc/%s/stat" % name, "rb") as source:
                    parent = int(source.read().rpartition(b")")[2].split()[1])
                if parent == 1:
                    os.kill(int(name), signal.SIGKILL)
            except OSError:
                pass

    def over_limits(self):
        """What the processes here use more of than a branch may, in words; None if nothing.

        With a control group the kernel has refused it already, and this is where it is heard of.
        """
        if self.group is not None:
            return self.group.exceeded()
        most = BRANCH_LIMITS
        count, pages = 0, 0
        for name in os.listdir("/proc"):
            if name.isdigit() and name != "1":
                count += 1
                try:
                    with open("/proc/%s/statm" % name) as source:
                        _, resident, shared = source.read().split()[:3]
                    pages += int(resident) - int(shared)
                except OSError:
                    pass
        if count > most.get("pids", count):
            return "more than %d processes" % most["pids"]
        if pages * PAGE_BYTES > most.get("memoryBytes", pages * PAGE_BYTES):
            return "more than %d bytes of memory" % most["memoryBytes"]
        return None

    def tell_over(self, job, words):
        if words:
            job.over = True
            job.all_streams[0 if job.merge else 1].add(("killed: the branch uses %s\n" % words).encode())

    def enforce(self):
        now = time.monotonic()
        if self.jobs and BRANCH_LIMITS and now >= self.looked_at + LOOK_SECONDS:
            self.looked_at = now
            words = self.over_limits()
            for job in [job for job in self.jobs.values() if words and not job.over]:
                self.tell_over(job, words)
                self.kill(job)
        for job in list(self.jobs.values()):
            if job.status is None and job.deadline is not None and now >= job.deadline:
                job.timed_out = True
                job.deadline = now + 1.0
                self.kill(job)
            if job.drain_until is not None and now >= job.drain_until:
                # Somebody who is not below the guardian still holds the pipe: what is there is what there is.
                for fd in list(job.streams) + ([job.report] if job.report is not None else []):
                    self.forget(fd)
                job.streams.clear()
                job.report = None
                self.finish(job)

    def finish(self, job):
        if not job.done():
            return
        del self.jobs[job.key]
        if job.input is not None:
            self.forget(job.input)
        if job.report_text:
            self.answer(job.key, json.loads(job.report_text.decode()))
            return
        state = job.all_streams.pop() if job.keep else None
        omitted = [stream.finish() for stream in job.all_streams]
        self.answer(job.key, {
            "shell": shell_state(bytes(state.head)) if state else None,
            "exitCode": 137 if job.timed_out else job.status,
            "timedOut": job.timed_out,
            "omitted": omitted,
            "ms": (time.monotonic() - job.started) * 1000,
        })
