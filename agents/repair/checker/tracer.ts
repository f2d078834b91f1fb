/** What every part uses: where things are, and the execution of a piece of work with its lines counted. */
export const TRACER: string = String.raw`import ast, contextlib, importlib, importlib.machinery, io, json, os, re, sys, time, unittest

HOME = os.path.dirname(os.path.abspath(__file__))
ROOT = os.getcwd()
STATE = os.path.join(HOME, "state.json")
SKIP = {"node_modules", "build", "dist", "venv", "env", "site-packages", "__pycache__"}
BUDGET = 2000000
MODULES = 12
LETTERS = 8000
sys.path[0:1] = [ROOT] + [p for p in (os.path.join(ROOT, d) for d in ("src", "lib")) if os.path.isdir(p)]


# Bytecode is taken for new if its source has the size and the second of before, which an edit may well have: of what
# was edited just now none is kept, and none in the repository.
loader = importlib.machinery.SourceFileLoader
keep_bytecode = loader._cache_bytecode
sys.pycache_prefix = getattr(sys, "pycache_prefix", None) or os.path.join(HOME, "bytecode")


def keep_old(self, source, target, data):
    if not target.startswith(ROOT + os.sep) and time.time() - os.stat(source).st_mtime > 3:
        keep_bytecode(self, source, target, data)


loader._cache_bytecode = keep_old

# The stack of WebAssembly ends long before Python's own limit, and with it the process.
if sys.platform == "wasi":
    sys.setrecursionlimit(250)


class Hang(BaseException):
    pass


class Tracer:
    def __init__(self):
        self.known, self.lines, self.left = {}, set(), 0

    def ours(self, path):
        if path not in self.known:
            self.known[path] = path.startswith(ROOT + os.sep) and "site-packages" not in path
        return self.known[path]

    def call(self, frame, event, arg):
        return self.line if self.ours(frame.f_code.co_filename) else None

    def line(self, frame, event, arg):
        if event == "line":
            self.left -= 1
            if self.left < 0:
                raise Hang("runs on and on")
            self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.line

    def run(self, work, limit):
        self.lines, self.left = set(), limit
        error, out = None, io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                sys.settrace(self.call)
                try:
                    work()
                finally:
                    sys.settrace(None)
        except KeyboardInterrupt:
            raise
        except BaseException as caught:
            error = caught
        return error, self.lines, limit - self.left, out.getvalue()


TRACER = Tracer()


def is_test(path):
    name = os.path.basename(path)
    return bool(re.match(r"(test_.*|.*_test|tests?|conftest)\.py$", name)) or "tests" in path.split(os.sep)


def sources():
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIP and not f.startswith("."))
        found += [os.path.join(folder, f) for f in sorted(files) if f.endswith(".py")]
    return found


def module_of(path):
    folder, names = os.path.dirname(path), [os.path.basename(path)[:-3]]
    while folder != ROOT and os.path.exists(os.path.join(folder, "__init__.py")):
        names.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    if folder not in sys.path:
        sys.path.append(folder)
    return ".".join(names[:-1] if names[-1] == "__init__" and len(names) > 1 else names)


class Check:
    """One thing that passes or fails."""

    def __init__(self, name, error, lines, count, soft=False):
        self.name, self.error, self.lines, self.count, self.soft = name, error, lines, count, soft
`;
