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
# The sender of a large input is told of each so many bytes that were taken; it sends a few times as much ahead.
TAKEN_STEP = 1 << 20


# What the commands of one branch may use together, looked at so often while any runs.
BRANCH_LIMITS = CONFIG.get("branch", {})
LOOK_SECONDS = 0.1
# What a guardian has to end a command, before it is ended itself.
KILL_SECONDS = 5.0
PAGE_BYTES = resource.getpagesize()


class Guardian:
    """A process that runs one command after another; see `guard`."""

    def __init__(self, pid, control):
        self.pid, self.control, self.status = pid, control, None

    def died(self):
        if self.status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.status = status if pid == self.pid else None
            except ChildProcessError:
                self.status = 9
        return self.status is not None

    def begin(self, request, files):
        """Hands over a request, which waits nowhere whatever its size: it goes as a file. False if nobody is there."""
        source = memory_file(json.dumps(request).encode())
        numbers = struct.pack("%di" % (len(files) + 1), source, *files)
        try:
            self.control.sendmsg([b"R"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])
            return True
        except OSError:
            return False
        finally:
            os.close(source)

    def close(self):
        self.control.close()


class Job:
    def __init__(self, server, key, request, guardian, files):
        self.key, self.guardian, self.started = key, guardian, time.monotonic()
        self.deadline = self.started + request["timeoutMs"] / 1000.0 if request.get("timeoutMs") else None
        self.timed_out, self.killed, self.over = False, False, False
        self.input = files[0]
        self.pending = bytearray()
        self.taken = 0  # bytes of the input that were written since its sender was last told
        self.input_ended = False
        self.control = guardian.control.fileno()
        self.said = bytearray()
        self.error = None
        self.home = None  # its user's, if that is not the container's own
        self.keep, self.merge = bool(request.get("keep")), bool(request.get("merge"))
        limit = request.get("outputBytes")
        send = lambda stream, part, data: server.send(b"O", key, bytes((stream, part)) + data)
        self.streams = {
            fd: Stream(number, STATE_LIMIT if number == 2 else limit, send) for number, fd in enumerate(files[1:])
        }
        self.all_streams = list(self.streams.values())
        self.status = None
        self.drain_until = None


# Bytes that wait to be sent: above the first, what they come from is no longer read; below the second it is again.
MUCH_KEPT, LITTLE_KEPT = 1 << 22, 1 << 20


class Wire:
    """Frames in and out of two files. Sending never waits: what the other end has no room for is kept, in order."""

    def __init__(self, source, target):
        self.source, self.target, self.buffer = source, target, bytearray()
        self.kept, self.kept_bytes = collections.deque(), 0
        self.full = False  # whether much is kept
        self.blocked = False  # whether the other end has no room
        self.poll, self.reading = None, True
        os.set_blocking(target, False)

    def watch(self, poll, reading=True):
        """Has `poll` tell what there is to do. Without `reading`, frames stay with the other end."""
        self.poll, self.reading = poll, reading
        source, target = select.POLLIN if reading else 0, select.POLLOUT if self.blocked else 0
        if self.source == self.target:
            poll.register(self.source, source | target)
            return
        poll.register(self.source, source)
        if target:
            poll.register(self.target, target)
        else:
            try:
                poll.unregister(self.target)
            except KeyError:
                pass

    def turn(self, fd, event):
        """Does what a file is ready for. Returns the frames that are complete now; None if the other end is gone."""
        if fd == self.target and self.blocked:
            try:
                self.flush()
            except OSError:
                return None
        return self.receive() if fd == self.source and event != select.POLLOUT else []

    def receive(self):
        """The frames that are complete now; None at the end of the input."""
        try:
            data = os.read(self.source, 1 << 20)
        except BlockingIOError:
            return []
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
        self.kept.append(memoryview(struct.pack("<IcI", len(payload), kind, key) + payload))
        self.kept_bytes += 9 + len(payload)
        if not self.blocked:
            self.flush()

    def flush(self):
        """Writes what is kept, as far as there is room."""
        blocked = False
        while self.kept and not blocked:
            try:
                written = os.write(self.target, self.kept[0])
            except BlockingIOError:
                blocked = True
                continue
            self.kept_bytes -= written
            if written < len(self.kept[0]):
                self.kept[0] = self.kept[0][written:]
            else:
                self.kept.popleft()
        if blocked != self.blocked:
            self.blocked = blocked
            if self.poll is not None:
                self.watch(self.poll, self.reading)

    def filled(self):
        """Whether it has become full, or is full no more, since this was last asked."""
        was, self.full = self.full, self.kept_bytes > (LITTLE_KEPT if self.full else MUCH_KEPT)
        return self.full != was

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
        self.idle = None  # a guardian that has nothing to do
        self.want_idle = True
        self.looked_at = 0

    def run(self):
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        wake = watch_children()
        self.wire.watch(self.poll)
        self.poll.register(wake, select.POLLIN)
        while True:
            events = self.poll.poll(0 if self.want_idle else self.wait_ms())
            if not events and self.want_idle:
                self.want_idle = False
                try:
                    self.idle = self.idle or self.prepare()
                except OSError:
                    pass  # no process may be made now: the next command tries again
            for fd, event in events:
                if fd in (self.wire.source, self.wire.target):
                    frames = self.wire.turn(fd, event)
                    if frames is None:
                        os._exit(0)
                    for frame in frames:
                        self.handle(*frame)
                elif fd == wake:
                    os.read(wake, 4096)
                elif fd in self.fds:
                    self.transfer(fd)
            if self.wire.filled():
                self.watch_readers()
            self.reap()
            self.enforce()

    def watch_readers(self):
        """What is passed on as it comes, a file that is read, waits while much is kept."""
        for fd, job in self.fds.items():
            if fd in job.streams:
                self.poll.register(fd, self.events_of(job.streams[fd]))

    def events_of(self, stream):
        return 0 if self.wire.full and stream.limit is None else select.POLLIN

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
        guardian, self.idle = self.idle, None
        ours, theirs = [], []
        try:
            for number in range(4 if request.get("keep") else 3):  # input, output, error, state
                source, target = os.pipe()
                if number == 3:
                    os.fchmod(target, 0o622)  # opened by its path, by whatever user the command is
                ours.append(source if number else target)
                theirs.append(target if number else source)
            # A command may kill all that it sees, the guardian of the next command too.
            if guardian is None or guardian.died() or not guardian.begin(request, theirs):
                if guardian is not None:
                    guardian.close()
                guardian, self.want_idle = self.prepare(), False
                guardian.begin(request, theirs)
        except OSError:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        job = Job(self, key, request, guardian, ours)
        self.jobs[key] = job
        for fd in ours:
            os.set_blocking(fd, False)
            self.fds[fd] = job
        self.fds[job.control] = job
        for fd, stream in job.streams.items():
            self.poll.register(fd, self.events_of(stream))
        self.poll.register(job.control, select.POLLIN)

    def prepare(self):
        """Forks a guardian that waits for commands."""
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self.become_guardian(theirs.detach())
        theirs.close()
        ours.setblocking(False)
        return Guardian(pid, ours)

    def become_guardian(self, control):
        """Closes every file of the server's but the one to hear from it."""
        try:
            signal.set_wakeup_fd(-1)
            null = os.open("/dev/null", os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(null, number)
            os.dup2(control, 3, inheritable=False)
            os.closerange(4, 65536 if len(self.fds) > 2000 else 4096)
            guard(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, 3))
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
                job.taken += written
        except BlockingIOError:
            self.poll.register(job.input, select.POLLOUT)
        except OSError:
            job.pending.clear()
            job.input_ended = True
        if job.taken >= TAKEN_STEP:
            self.send(b"W", job.key, struct.pack("<I", job.taken))
            job.taken = 0
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
        if fd == job.control:
            self.listen(job, data)
        elif data:
            job.streams[fd].add(data)
        else:
            self.forget(fd)
            del job.streams[fd]
            self.finish(job)

    def listen(self, job, data):
        """Hears what the guardian says of its command: what went wrong, and at the end its exit code."""
        if not data:
            self.leave(job)  # it died; how is heard of when it is waited for
            return
        job.said += data
        *lines, job.said = job.said.split(b"\n")
        for line in lines:
            said = json.loads(line.decode())
            if "home" in said:
                job.home = said["home"]
                continue
            if "code" not in said:
                job.error = said
                continue
            self.leave(job)
            # One that is being killed may die any moment.
            if self.idle is None and not job.killed:
                self.idle = job.guardian
            else:
                job.guardian.close()
            self.ended(job, said["code"])

    def leave(self, job):
        """Hears no more of a job's guardian."""
        if job.control is not None:
            self.poll.unregister(job.control)
            del self.fds[job.control]
            job.control = None

    def kill(self, job):
        """Asks the guardian to end its command, which it does at once; if it has not, it goes too."""
        if job.status is None:
            try:
                os.kill(job.guardian.pid, signal.SIGKILL if job.killed else signal.SIGTERM)
            except OSError:
                pass
            job.killed = True
            job.deadline = time.monotonic() + KILL_SECONDS

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if os.WIFSTOPPED(status):
                os.kill(pid, signal.SIGCONT)  # a command may stop its guardian
                continue
            if self.idle is not None and self.idle.pid == pid:
                self.idle.close()
                self.idle, self.want_idle = None, True
            for job in list(self.jobs.values()):
                if job.status is None and job.guardian.pid == pid:
                    self.guardian_died(job, status)

    def guardian_died(self, job, status):
        self.leave(job)
        job.guardian.close()
        self.want_idle = self.idle is None
        if os.WIFSIGNALED(status):
            # A command that kills its guardian may have killed the one that waits too, though it is not dead yet.
            if self.idle is not None:
                self.idle.close()
                self.idle, self.want_idle = None, True
            self.kill_orphans()
        self.ended(job, os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

    def ended(self, job, code):
        if self.group is not None and not job.over:
            self.tell_over(job, self.group.exceeded())
        job.status = code
        job.drain_until = time.monotonic() + 0.5
        self.finish(job)

    def kill_orphans(self):
        """A command may kill its guardian; its processes then are process 1's, which is this one."""
        for _ in range(200):
            guardians = {job.guardian.pid for job in self.jobs.values() if job.status is None}
            orphans = living_below(os.getpid(), guardians)
            if not orphans:
                return
            kill_all(orphans)
            time.sleep(0.001)

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
                job.timed_out = job.timed_out or not job.killed
                self.kill(job)
            if job.drain_until is not None and now >= job.drain_until:
                # Somebody who is not below the guardian still holds the pipe: what is there is what there is.
                for fd in list(job.streams):
                    self.forget(fd)
                job.streams.clear()
                self.finish(job)

    def finish(self, job):
        if job.status is None or job.streams or job.key not in self.jobs:
            return
        del self.jobs[job.key]
        if job.input is not None:
            self.forget(job.input)
        if job.error is not None:
            self.answer(job.key, job.error)
            return
        state = job.all_streams.pop() if job.keep else None
        omitted = [stream.finish() for stream in job.all_streams]
        self.answer(job.key, {
            "shell": shell_state(bytes(state.head), job.home) if state else None,
            "exitCode": 137 if job.timed_out else job.status,
            "timedOut": job.timed_out,
            "omitted": omitted,
            "ms": (time.monotonic() - job.started) * 1000,
        })
