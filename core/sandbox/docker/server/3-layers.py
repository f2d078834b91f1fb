"""Branches as overlay mounts."""


class Branches:
    """Overlay mounts. A layer is an upper directory; once frozen nobody writes to it, and others may lie on it."""

    def __init__(self):
        self.branches = {}  # id: {"lower": [layers], "upper": layer, "root": path}
        self.holders = {}  # layer: branches and snapshots that need it
        self.snapshots = {}  # id: [layers]
        self.unneeded = []  # folders of layers that are to be deleted
        self.count = 0
        self.options = ",volatile"

    def start(self):
        for name in ("l", "w", "m"):
            os.makedirs(BASE + "/" + name)
        device_template()
        os.chdir(BASE + "/l")

    def number(self):
        self.count += 1
        return self.count

    def hold(self, layers):
        for layer in layers:
            self.holders[layer] = self.holders.get(layer, 0) + 1

    def let_go(self, layers):
        for layer in layers:
            self.holders[layer] -= 1
            if self.holders[layer] == 0:
                del self.holders[layer]
                self.unneeded += [BASE + "/l/%d" % layer, BASE + "/w/%d" % layer]
        self.remove_unneeded()

    def remove_unneeded(self):
        if self.unneeded:
            try:
                remove_later(self.unneeded)
                self.unneeded = []
            except OSError:
                pass  # no process may be made now: tried again later

    def lay(self, lower):
        """A new upper directory on the given layers, mounted."""
        upper = self.number()
        root = BASE + "/m/%d" % upper
        for path in (BASE + "/l/%d" % upper, BASE + "/w/%d" % upper, root):
            os.mkdir(path)
        os.chmod(BASE + "/l/%d" % upper, stat.S_IMODE(os.stat("/").st_mode))
        lowerdir = ":".join([str(layer) for layer in lower] + ["/"])
        while True:
            data = "lowerdir=%s,upperdir=%d,workdir=../w/%d%s" % (lowerdir, upper, upper, self.options)
            try:
                mount("overlay", root, "overlay", 0, data)
                break
            except OSError as error:
                if error.errno != errno.EINVAL or self.options == "":
                    raise
                self.options = ""  # a kernel before 5.10 has no `volatile`
        self.hold(lower + [upper])
        return {"lower": lower, "upper": upper, "root": root}

    def lift(self, branch):
        unmount(branch["root"])
        os.rmdir(branch["root"])
        self.let_go(branch["lower"] + [branch["upper"]])

    def create(self, snapshot=None):
        key = self.number()
        branch = self.lay(list(self.snapshots[snapshot]) if snapshot is not None else [])
        if snapshot is None:
            for name in ("proc", "sys", "dev", "tmp"):
                os.makedirs(branch["root"] + "/" + name, exist_ok=True)
            for name in ("hosts", "hostname", "resolv.conf"):
                # Docker mounts these over the image's own; a branch gets them as files that it may change.
                if os.path.isdir(branch["root"] + "/etc") and os.path.exists("/etc/" + name):
                    target = branch["root"] + "/etc/" + name
                    if os.path.islink(target):
                        os.unlink(target)
                    with open("/etc/" + name, "rb") as source, open(target, "wb") as copy:
                        copy.write(source.read())
        self.branches[key] = branch
        return key

    def freeze(self, key):
        """A snapshot, whether anything was written since the branch was made or last frozen, and what to lift then.

        A changed branch is laid anew; nothing may be running in it.
        """
        branch = self.branches[key]
        with os.scandir(BASE + "/l/%d" % branch["upper"]) as entries:
            changed = next(entries, None) is not None
        layers = ([branch["upper"]] if changed else []) + branch["lower"]
        if len(layers) > 400:
            raise OSError(errno.EMLINK, "a branch lies on more than 400 layers; close it and start from a new image")
        if changed:
            self.branches[key] = self.lay(layers)
        snapshot = self.number()
        self.snapshots[snapshot] = layers
        self.hold(layers)
        return {"snapshot": snapshot, "changed": changed}, branch if changed else None

    def release(self, snapshot):
        layers = self.snapshots.pop(snapshot, None)
        if layers is not None:
            self.let_go(layers)

    def close(self, key):
        branch = self.branches.pop(key, None)
        if branch is not None:
            self.lift(branch)


def remove_later(paths):
    """Deletes trees in a process of their own, so that nobody waits for it."""
    if os.fork() == 0:
        try:
            os.nice(10)
            for path in paths:
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os._exit(0)
