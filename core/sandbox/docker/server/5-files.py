"""Files, read and written by a process inside."""


def builtin_read(request):
    path = request["path"]
    with open_file(path, os.O_RDONLY) as source:
        shutil.copyfileobj(source, os.fdopen(1, "wb", closefd=False), 1 << 20)


def builtin_write(request):
    path = request["path"]
    make_folder(os.path.dirname(path))
    with open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as target:
        shutil.copyfileobj(os.fdopen(0, "rb", closefd=False), target, 1 << 20)


def builtin_unpack(request):
    path = request["path"]
    make_folder(path)
    root = os.path.realpath(path)
    try:
        with tarfile.open(fileobj=os.fdopen(0, "rb", closefd=False), mode="r|*") as archive:
            if hasattr(tarfile, "fully_trusted_filter"):
                archive.extraction_filter = tarfile.fully_trusted_filter
            for member in archive:
                # The folder that it goes to, through links that were unpacked before, must lie in the root.
                target = os.path.join(root, member.name)
                folder = os.path.realpath(os.path.dirname(os.path.normpath(target)))
                if member.name.startswith("/") or not (folder + "/").startswith(root.rstrip("/") + "/"):
                    raise Refused("%s: the archive's %r lies outside of it" % (path, member.name))
                if member.islnk() and not os.path.realpath(os.path.join(root, member.linkname)).startswith(root):
                    raise Refused("%s: the archive's link %r leads outside of it" % (path, member.name))
                archive.extract(member, root, numeric_owner=True)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise Refused("%s: not a tar archive (%s)" % (path, error))


BUILTINS = {"read": builtin_read, "write": builtin_write, "unpack": builtin_unpack}


def open_file(path, flags):
    fd = os.open(path, flags | os.O_NONBLOCK, 0o644)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise Refused("%s: not a file" % path)
    return os.fdopen(fd, "rb" if flags & os.O_ACCMODE == os.O_RDONLY else "wb")


def make_folder(path):
    if path:
        os.makedirs(path, exist_ok=True)
