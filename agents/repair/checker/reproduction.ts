/** The checks of the issue, one for each statement that asserts something or raises. */
export const REPRODUCTION: string = String.raw`class Reproduction:
    def __init__(self, limits):
        self.limits, self.checks, self.shown = limits, [], ""
        self.space = {"__name__": "__main__", "_shows": self.shows, "_raises": self.raises, "_prints": self.prints}
        self.before, self.missing = set(), set()
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
        if isinstance(error, NameError) and self.is_own(error) and self.name_in(error) not in self.missing:
            if name not in self.limits:
                return
        if error is not None:
            self.missing |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if error is not None or isinstance(node, ast.Assert) or made or name in self.limits:
            self.checks.append(Check(name + " " + text, error, lines | self.before, count, getattr(call, "id", "") == "_shows"))
        if not isinstance(node, ast.Assert) and not made:
            self.before |= lines

    def is_own(self, error):
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        return trace.tb_frame.f_code.co_filename == os.path.join(HOME, "reproduce.py")

    def name_in(self, error):
        return (re.findall(r"name '(\w+)'", str(error)) or [""])[0]

    def imports(self, error):
        """Whether a name that was missing has now been found in the repository."""
        if not isinstance(error, NameError) or not self.is_own(error) or self.name_in(error) in self.missing:
            return False
        name = self.name_in(error)
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
`;
