/** The repository's own tests: unittest's, and plain functions and classes as pytest has them, without fixtures. */
export const VISIBLE_TESTS: string = String.raw`def collect(path):
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
`;
