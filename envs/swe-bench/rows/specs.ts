/** How the tests of a repository at a version are run in its image. */
export interface TestSpec {
  /** Commands before git is looked at, in the activated environment. */
  readonly before: readonly string[];
  readonly install: string | null;
  /** What `given` returns follows it. */
  readonly test: string;
  /** Words for the test command. @default the files of the test patch that may be tests */
  readonly given?: (testPatch: string) => readonly string[];
}

const EDITABLE = "python -m pip install -e .";

// The eval commands of SWE-bench 4.1.0 (harness/constants/python.py), which v5 rows carry as text.
const INSTALL: Readonly<Record<string, string>> = {
  "astropy/astropy": `${EDITABLE}[test] --verbose`,
  "marshmallow-code/marshmallow": "python -m pip install -e '.[dev]'",
  "psf/requests": "python -m pip install .",
  "pvlib/pvlib-python": `${EDITABLE}[all]`,
  "scikit-learn/scikit-learn": "python -m pip install -v --no-use-pep517 --no-build-isolation -e .",
  "sphinx-doc/sphinx": `${EDITABLE}[test]`,
};

const TEST: Readonly<Record<string, string>> = {
  "marshmallow-code/marshmallow": "pytest -rA",
  "mwaskom/seaborn": "pytest --no-header -rA",
  "pallets/flask": "pytest -rA",
  "psf/requests": "pytest -rA",
  "pvlib/pvlib-python": "pytest -rA",
  "pydata/xarray": "pytest -rA",
  "pydicom/pydicom": "pytest -rA",
  "pylint-dev/astroid": "pytest -rA",
  "pylint-dev/pylint": "pytest -rA",
  "pytest-dev/pytest": "pytest -rA",
  "pyvista/pyvista": "pytest -rA",
  "scikit-learn/scikit-learn": "pytest -rA",
  "sphinx-doc/sphinx": "tox --current-env -epy39 -v --",
  "sqlfluff/sqlfluff": "pytest -rA",
  "sympy/sympy": "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' bin/test -C --verbose",
};

/** Undefined if there is no known way to run this repository's tests. */
export function specOf(repo: string, version: string): TestSpec | undefined {
  if (repo === "django/django") return django(version);
  if (repo === "matplotlib/matplotlib") return matplotlib(version);
  const install = INSTALL[repo] ?? EDITABLE;
  if (repo === "astropy/astropy") {
    const classic = major(version) < 3;
    return {
      before: [],
      install,
      test: classic ? "pytest -rA -vv -o console_output_style=classic --tb=no" : "pytest -rA",
    };
  }
  const test = TEST[repo];
  if (test === undefined) return undefined;
  if (repo === "mwaskom/seaborn")
    return { before: [], install: version === "0.11" ? EDITABLE : `${EDITABLE}[dev]`, test };
  return { before: [], install, test };
}

function major(version: string): number {
  return Number.parseInt(version.replace(/^v/, ""), 10);
}

function minor(version: string): number {
  return Number.parseInt(version.split(".")[1] ?? "0", 10);
}

function django(version: string): TestSpec {
  const test = `./tests/runtests.py --verbosity 2${version === "1.9" ? "" : " --settings=test_sqlite --parallel 1"}`;
  if (major(version) >= 4) return { before: [], install: EDITABLE, test };
  if (major(version) === 3) {
    const before = [
      "sed -i '/en_US.UTF-8/s/^# //g' /etc/locale.gen && locale-gen",
      "export LANG=en_US.UTF-8",
      "export LANGUAGE=en_US:en",
      "export LC_ALL=en_US.UTF-8",
    ];
    return { before, install: EDITABLE, test };
  }
  const old = major(version) === 1 && minor(version) < 7;
  const before = [
    "export LANG=en_US.UTF-8",
    "export LC_ALL=en_US.UTF-8",
    "export PYTHONIOENCODING=utf8",
    "export LANGUAGE=en_US:en",
  ];
  return { before: old ? [] : before, install: "python setup.py install", test };
}

function matplotlib(version: string): TestSpec {
  const test = "pytest -rA";
  if (major(version) < 3)
    return { before: [], install: "python setup.py build; python setup.py install", test };
  if (minor(version) >= 8)
    return { before: [], install: 'python -m pip install --no-build-isolation -e ".[dev]"', test };
  return { before: [], install: EDITABLE, test };
}
