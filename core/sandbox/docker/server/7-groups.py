"""The kernel's own limits of a branch: a control group of its own, below the container's."""


class Groups:
    """Makes and removes the groups of branches. `on` is false where limits are not asked for or cannot be had."""

    def __init__(self):
        self.on = False
        self.folders = {}  # name of a limit: folder in which groups are made
        self.stale = []
        self.note = None  # why there are none though they were asked for
        if BRANCH_LIMITS:
            try:
                self.start()
                self.on = True
            except OSError as error:
                self.note = "no control groups here (%s): a branch's limits are looked at ten times a second" % error

    def start(self):
        # Bound to where no branch sees it, since a branch's own /sys has to stay read-only.
        for name in ("memory", "pids") if os.path.isdir("/sys/fs/cgroup/memory") else ("",):
            source, path = "/sys/fs/cgroup/" + name, BASE + "/g/" + (name or "unified")
            os.makedirs(path)
            mount(source, path, None, MS_BIND)
            mount(None, path, None, MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NODEV | MS_NOEXEC)
            if name:
                self.folders[name] = path
            else:
                self.folders = {"memory": path, "pids": path}
        if self.folders["memory"] == self.folders["pids"]:
            # A group with groups below it may have no processes of its own.
            os.mkdir(path + "/server")
            put(path + "/server/cgroup.procs", "0")
            put(path + "/cgroup.subtree_control", "+memory +pids")
        elif get(self.folders["memory"] + "/memory.use_hierarchy").strip() != b"1":
            put(self.folders["memory"] + "/memory.use_hierarchy", "1")  # else the container's limit would not hold below

    def create(self, branch):
        """The group of a branch: what a process writes itself into, and what its kills are counted in."""
        if not self.on:
            return None
        paths = sorted({folder + "/b%d" % branch for folder in self.folders.values()})
        unified = len(paths) == 1
        for path in paths:
            if not os.path.isdir(path):
                os.mkdir(path)
        memory, pids = paths[0], paths[-1]
        if "memoryBytes" in BRANCH_LIMITS:
            put(memory + ("/memory.max" if unified else "/memory.limit_in_bytes"), str(BRANCH_LIMITS["memoryBytes"]))
            swap = memory + ("/memory.swap.max" if unified else "/memory.memsw.limit_in_bytes")
            if os.path.exists(swap):
                put(swap, "0" if unified else str(BRANCH_LIMITS["memoryBytes"]))
        if "pids" in BRANCH_LIMITS:
            put(pids + "/pids.max", str(BRANCH_LIMITS["pids"]))
        return Group(paths, memory + ("/memory.events" if unified else "/memory.oom_control"), pids + "/pids.events")

    def close(self, branch):
        if self.on:
            self.stale += [folder + "/b%d" % branch for folder in sorted(set(self.folders.values()))]
            self.stale = [path for path in self.stale if not removed(path)]


class Group:
    def __init__(self, paths, memory_events, pids_events):
        self.paths, self.memory_events, self.pids_events = paths, memory_events, pids_events

    def enter(self):
        """Moves this process in, and opens what it will read from a place where the files cannot be seen."""
        for path in self.paths:
            put(path + "/cgroup.procs", "0")
        self.files = [
            (os.open(self.memory_events, os.O_RDONLY | os.O_CLOEXEC), b"oom_kill", "more than %d bytes of memory", "memoryBytes"),
            (os.open(self.pids_events, os.O_RDONLY | os.O_CLOEXEC), b"max", "more than %d processes", "pids"),
        ]
        self.seen = [self.count(*each[:2]) for each in self.files]

    def count(self, fd, name):
        for line in os.pread(fd, 4096, 0).splitlines():
            words = line.split()
            if words[:1] == [name]:
                return int(words[1])
        return 0

    def exceeded(self):
        """What a process was killed or refused for since this was last asked, in words; None if nothing."""
        now = [self.count(*each[:2]) for each in self.files]
        before, self.seen = self.seen, now
        for (_, _, words, limit), was, count in zip(self.files, before, now):
            if count > was and limit in BRANCH_LIMITS:
                return words % BRANCH_LIMITS[limit]
        return None


def put(path, text):
    with open(path, "wb", buffering=0) as target:
        target.write(text.encode())


def get(path):
    with open(path, "rb") as source:
        return source.read()


def removed(path):
    """Removes a group. One whose last process is still going is removed with the next."""
    try:
        os.rmdir(path)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True
