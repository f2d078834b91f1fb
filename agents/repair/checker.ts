/**
 * The program that runs the reproduction and the visible tests, and says which lines are suspicious. Python 3.6 or
 * later, its standard library only, one process and one thread, so that CPython under WASI runs it.
 *
 * A line is as suspicious as Ochiai has it (Abreu, Zoeteweij, van Gemund 2006): ef / sqrt(F * (ef + ep)), where ef of
 * the F failing and ep of the passing checks run it; a line of a traceback counts 1.5 times, one of a function that
 * the issue names 1.3 times. Work is limited by counting executed lines, never by a clock, so a run always ends the
 * same: 2,000,000 lines for all tests together at first, then ten times what each took, and 50,000 more. Tests of at
 * most 12 files are run, those first that are named like a module that the reproduction runs.
 */
export const CHECKER: string = String.raw`import ast, contextlib, importlib, importlib.machinery, io, json, os, re, sys, time, unittest

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


class Reproduction:
    def __init__(self, limits):
        self.limits, self.checks, self.shown = limits, [], ""
        self.space = {"__name__": "__main__", "_shows": self.shows, "_raises": self.raises, "_prints": self.prints}
        self.before = set()
        with open(os.path.join(HOME, "reproduce.py"), encoding="utf-8") as file:
            blocks = file.read().split("\n#%%\n")
        for number, block in enumerate(blocks):
            try:
                tree = ast.parse(block)
            except SyntaxError:
                continue
            self.shown = ""
            for place, node in enumerate(tree.body):
                self.statement("%d.%d" % (number, place), node, block.split("\n")[node.lineno - 1])

    def statement(self, name, node, text):
        code = compile(ast.Module(body=[node], type_ignores=[]), os.path.join(HOME, "reproduce.py"), "exec")
        work = lambda: exec(code, self.space)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    return work()
            except BaseException as error:
                return self.checks.append(Check(name + " " + text, error, set(), 0))
        limit = self.limits.get(name, BUDGET)
        for _ in range(4):
            error, lines, count, out = TRACER.run(work, limit)
            if not self.imports(error):
                break
        self.shown += out
        call = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
        made = getattr(call, "id", "") in ("_shows", "_raises", "_prints")
        # A name that nothing defines says that the issue left something out, not that there is a bug.
        if isinstance(error, NameError) and error.__traceback__.tb_next and self.is_own(error):
            if name not in self.limits:
                return
        if error is not None or isinstance(node, ast.Assert) or made or name in self.limits:
            self.checks.append(Check(name + " " + text, error, lines | self.before, count, getattr(call, "id", "") == "_shows"))
        if error is None and not isinstance(node, ast.Assert) and not made:
            self.before |= lines

    def is_own(self, error):
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        return trace.tb_frame.f_code.co_filename == os.path.join(HOME, "reproduce.py")

    def imports(self, error):
        """Whether a name that was missing has now been found in the repository."""
        if not isinstance(error, NameError) or not self.is_own(error):
            return False
        name = (re.findall(r"name '(\w+)'", str(error)) or [""])[0]
        for path in sources():
            if is_test(path):
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            defines = re.search(r"^(def|class) %s\b|^%s\s*=" % (name, name), text, re.M)
            if not defines and module_of(path).split(".")[-1] != name:
                continue
            try:
                module = importlib.import_module(module_of(path))
            except BaseException:
                continue
            self.space[name] = getattr(module, name) if defines else module
            return True
        return False

    def shows(self, work, want):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            got = work()
        text = out.getvalue().strip()
        if text:
            assert got is None and text == want.strip(), "printed %r" % text
        elif want.strip() not in (repr(got), str(got)):
            try:
                wanted = eval(want, dict(self.space))
            except Exception:
                wanted = self
            assert type(wanted) is type(got) and wanted == got, "got %r" % (got,)

    def raises(self, work, name):
        try:
            work()
        except Exception as error:
            assert name.split(".")[-1] in [kind.__name__ for kind in type(error).__mro__], "raised %r" % error
        else:
            raise AssertionError("raised nothing")

    def prints(self, want):
        assert self.shown.strip() == want.strip(), "printed %r" % self.shown


def collect(path):
    """Names and works of the tests of one file."""
    module = importlib.import_module(module_of(path))
    found = []
    for name, thing in sorted(vars(module).items(), key=lambda item: item[0]):
        if isinstance(thing, type) and issubclass(thing, unittest.TestCase) and thing.__module__ == module.__name__:
            for test in unittest.defaultTestLoader.loadTestsFromTestCase(thing):
                found.append((test.id(), in_suite(test)))
        elif isinstance(thing, type) and name.startswith("Test") and thing.__module__ == module.__name__:
            for method in sorted(m for m in vars(thing) if m.startswith("test")):
                if is_plain(vars(thing)[method], 1):
                    found.append(("%s.%s.%s" % (module.__name__, name, method), in_class(thing, method)))
        elif name.startswith("test") and is_plain(thing, 0) and thing.__module__ == module.__name__:
            found.append((module.__name__ + "." + name, thing))
    return found


def is_plain(thing, arguments):
    code = getattr(thing, "__code__", None)
    return code is not None and code.co_argcount == arguments and not code.co_kwonlyargcount


class Failed(Exception):
    pass


def in_suite(test):
    def work():
        result = unittest.TestResult()
        unittest.TestSuite([test]).run(result)
        if result.skipped or result.expectedFailures:
            raise unittest.SkipTest("skipped")
        if not result.wasSuccessful():
            raise Failed((result.failures + result.errors + [("", "")])[0][1].strip().split("\n")[-1])
    return work


def in_class(kind, method):
    def work():
        thing = kind()
        getattr(thing, "setup_method", lambda *_: None)(*([None] * (is_plain(getattr(kind, "setup_method", None), 2))))
        getattr(thing, method)()
    return work


def visible_tests(state, stems):
    """Runs the tests of before, or, at the first time, those nearest to what the reproduction runs."""
    checks, left = [], BUDGET
    if state:
        paths = state["modules"]
    else:
        tests = [path for path in sources() if is_test(path) and os.path.basename(path) not in ("conftest.py", "__init__.py")]
        near = lambda path: re.sub(r"^test_|_test$", "", os.path.basename(path)[:-3]) in stems
        paths = sorted(tests, key=lambda path: (not near(path), path))[:MODULES]
    for path in paths:
        try:
            works = collect(path)
        except BaseException as error:
            checks.append(Check(os.path.relpath(path, ROOT), error, set(), 0))
            continue
        for name, work in works:
            if state and name not in state["limits"]:
                continue
            error, lines, count, _ = TRACER.run(work, state["limits"][name] if state else left)
            if not state:
                left -= count
                if left <= 0:
                    return checks, paths
            if error is None or "Skip" not in type(error).__name__:
                checks.append(Check(name, error, lines, count))
    return checks, paths


def suspicion(failing, passing, words):
    lines = {}
    for check in failing:
        for line in check.lines:
            lines[line] = lines.get(line, 0) + 1
    runs = {}
    for check in passing:
        for line in check.lines:
            runs[line] = runs.get(line, 0) + 1
    score = {}
    for line, hits in lines.items():
        if not is_test(os.path.relpath(line[0], ROOT)):
            score[line] = hits / (len(failing) * (hits + runs.get(line, 0))) ** 0.5
    for check in failing:
        trace = getattr(check.error, "__traceback__", None)
        marked = set()
        while trace:
            marked.add((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
        for line in marked:
            if line in score:
                score[line] = min(1.5, score[line] * 1.5)
    return score


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def last_line(node):
    return max(getattr(n, "end_lineno", None) or getattr(n, "lineno", 0) for n in ast.walk(node))


def spots(score, words):
    """Stretches of source with the suspicion of each line, the most suspicious first."""
    found, texts = [], {}
    for path in sorted({path for path, _ in score}):
        with open(path, encoding="utf-8", errors="replace") as file:
            texts[path] = [""] + file.read().split("\n")
    mentions = {}
    for (path, line), value in score.items():
        for word in re.findall(r"[A-Za-z_]\w*", texts[path][line]):
            mentions[word] = max(value, mentions.get(word, 0))
    for path in sorted(texts):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        if "\r" in text:
            continue
        lines = text.split("\n")
        hits = {line: value for (at, line), value in score.items() if at == path}
        for node, name in walk(ast.parse(text), ""):
            if not isinstance(node, FUNCTIONS):
                if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                    # What a module or class sets up is run by all or none: it is judged by who mentions it.
                    targets = getattr(node, "targets", None) or [node.target]
                    named = [getattr(n, "id", "") for target in targets for n in ast.walk(target)]
                    value = 0.8 * max([mentions.get(n, 0) for n in named] + [0])
                    places = range(node.lineno, last_line(node) + 1)
                    found.append(spot(path, name, lines, node.lineno, last_line(node), dict.fromkeys(places, value), [], []))
                continue
            own = {line: value for line, value in hits.items() if node.lineno <= line <= last_line(node)}
            inner = [n for n in ast.walk(node) if isinstance(n, FUNCTIONS) and n is not node]
            own = {l: v for l, v in own.items() if not any(n.lineno < l <= last_line(n) for n in inner)}
            if not own:
                continue
            weight = 1.3 if node.name in words or (node.name == "__init__" and name in words) else 1
            own = {line: value * weight for line, value in own.items()}
            whole = dict(own)
            for part in ast.walk(node):
                if not isinstance(part, ast.stmt) or part is node or part.lineno not in own:
                    continue
                end = part.body[0].lineno - 1 if getattr(part, "body", None) else last_line(part)
                for line in range(part.lineno, end + 1):
                    whole[line] = max(whole.get(line, 0), own[part.lineno])
            for line in range(node.lineno, node.body[0].lineno):
                whole[line] = 0.5 * max(own.values())
            parameters = [a.arg for a in node.args.args + node.args.kwonlyargs]
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            names = sorted(names | set(parameters))
            qualified = (name + "." if name else "") + node.name
            if sum(len(line) for line in lines[node.lineno - 1:last_line(node)]) < 3500:
                found.append(spot(path, qualified, lines, node.lineno, last_line(node), whole, parameters, names))
            else:
                for part in node.body:
                    found.append(spot(path, qualified, lines, part.lineno, last_line(part), whole, [], names))
    found = [s for s in found if max(s["score"]) > 0]
    found.sort(key=lambda s: (-max(s["score"]), s["path"], s["from"]))
    kept, letters = [], 0
    for s in found:
        size = len(compact(s)) + 1
        if letters + size <= LETTERS:
            letters += size
            kept.append(s)
    return kept


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def walk(node, name):
    for part in getattr(node, "body", []) + getattr(node, "orelse", []):
        yield part, name
        if isinstance(part, ast.ClassDef):
            yield from walk(part, part.name)
        elif isinstance(part, (ast.If, ast.Try, ast.With)) or isinstance(part, FUNCTIONS):
            yield from ((p, n) for p, n in walk(part, name) if isinstance(p, FUNCTIONS))


def spot(path, name, lines, start, end, score, parameters, names):
    text = lines[start - 1:end]
    values = [round(100 * score.get(line, 0)) for line in range(start, end + 1)]
    return {"path": os.path.relpath(path, ROOT), "name": name, "from": start, "text": text, "score": values,
            "parameters": parameters, "names": names}


def summary(word, checks):
    failed = [check for check in checks if check.error is not None]
    for check in failed[:4]:
        print("FAIL: %s (%s: %s)" % (check.name[:120], type(check.error).__name__, str(check.error)[:160].replace("\n", " ")))
    print("Ran %d %s\n\n%s" % (len(checks), word, "FAILED (failures=%d)" % len(failed) if failed else "OK"))


def main():
    state = None
    if os.path.exists(STATE):
        with open(STATE) as file:
            state = json.load(file)
    with open(os.path.join(HOME, "issue.txt"), encoding="utf-8") as file:
        words = set(re.findall(r"[A-Za-z_]\w*", file.read()))
    reproduction = Reproduction(state["limits"] if state else {}).checks
    failing = [check for check in reproduction if check.error is not None]
    stems = {os.path.basename(path)[:-3] for check in failing for path, _ in check.lines}
    tests, modules = visible_tests(state, stems)
    if not state:
        # An example that already comes out as shown may show the wrong output: it is nothing to keep.
        reproduction = [check for check in reproduction if not (check.soft and check.error is None)]
    names = lambda checks, bad: [check.name for check in checks if (check.error is not None) == bad]
    passed = set(names(reproduction + tests, False))
    if state is None:
        targets = names(reproduction, True) or names(tests, True)
        verdict = "base" if targets else "blind"
        limits = {c.name if c in tests else c.name.split(" ")[0]: 50000 + 10 * c.count for c in reproduction + tests}
        state = {"targets": targets, "kept": sorted(passed), "modules": modules, "limits": limits}
    else:
        reproduction = [check for check in reproduction if check.name in state["targets"] + state["kept"]]
        lost = set(state["kept"]) - passed
        gained = set(state["targets"]) & passed - set(state["kept"])
        verdict = "worse" if lost else "same" if not gained else "better"
        if verdict == "better":
            state["kept"] = sorted(set(state["kept"]) | gained)
            verdict = "better" if set(state["targets"]) - set(state["kept"]) else "solved"
    summary("tests", tests)
    summary("checks of the issue", reproduction)
    report = {"verdict": verdict, "targets": len(state["targets"]),
              "reached": len(set(state["targets"]) & set(state["kept"]))}
    if verdict in ("base", "better"):
        bad = [c for c in reproduction + tests if c.error is not None and c.name in state["targets"]]
        report["spots"] = spots(suspicion(bad, [c for c in reproduction + tests if c.error is None], words), words)
    if verdict in ("base", "better", "solved"):
        with open(STATE, "w") as file:
            json.dump(state, file)
    elif verdict in ("same", "worse"):
        left = report["targets"] - report["reached"]
        print("Kept as it was:\nRan %d checks\n\nFAILED (failures=%d)" % (report["targets"], left))
    print("@@repair " + compact(report))
    sys.stdout.flush()
    # Threads and exit handlers of what was tested have no say in how this ends.
    os._exit(0 if verdict in ("better", "solved") else 1)


main()
`;
