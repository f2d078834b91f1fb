import type { TestSpec } from "./specs.ts";

// The eval commands of SWE-Gym (SWE-Gym/SWE-Bench-Fork, harness/constants.py). Its rows carry none.
const TEST: Readonly<Record<string, string>> = {
  "bokeh/bokeh": "pytest -rA -n0",
  "conan-io/conan": "pytest -n0 -rA",
  "dask/dask": "pytest -n0 -rA --color=no",
  "facebookresearch/hydra": "pytest -rA --tb=long",
  "getmoto/moto": "pytest -n0 -rA",
  "iterative/dvc": "pytest -rA",
  "modin-project/modin": "pytest -n0 -rA",
  "pandas-dev/pandas": "pytest -rA --tb=long",
  "project-monai/monai": "pytest -rA",
  "pydantic/pydantic": "pytest -rA --tb=short -vv -o console_output_style=classic --no-header",
  "python/mypy": "pytest -n0 -rA -k",
};

const PIP = "python -m pip install";
const FEW: readonly string[] = [`${PIP} "numpy<=1.20"`, `${PIP} "pytest<8"`];

/** Undefined if the repository is none of SWE-Gym's. Most install commands need the network. */
export function gymSpecOf(repo: string, version: string): TestSpec | undefined {
  const key = repo.toLowerCase();
  const test = TEST[key];
  if (test === undefined) return undefined;
  const install = installOf(key, version).join("; ");
  if (key === "conan-io/conan")
    return { before: [`export PYTHONPATH=\${PYTHONPATH:-}:$(pwd)`], install, test };
  if (key !== "python/mypy") return { before: [], install, test };
  return { before: [], install, test: isBelow(version, 1, 7) ? test : "pytest -rA -k", given: mypyCases };
}

/** The commands at a version, as the fork groups them. */
function installOf(repo: string, version: string): readonly string[] {
  switch (repo) {
    case "bokeh/bokeh":
      return isBelow(version, 3, 0)
        ? [
            'pip install "setuptools<66" "jinja2<3.1"',
            "printf '1\\n' | python setup.py develop",
            "bokeh sampledata",
          ]
        : [`${PIP} -e .`, `${PIP} bokeh_sampledata`];
    case "conan-io/conan":
      return [
        ...(isBelow(version, 1, 60) || version === "2.0"
          ? ["echo 'cython<3' > /tmp/constraint.txt", "export PIP_CONSTRAINT=/tmp/constraint.txt"]
          : []),
        ...["", "_server", "_dev"].map((kind) => `${PIP} -r conans/requirements${kind}.txt`),
      ];
    case "dask/dask":
      return [`${PIP} --no-deps -e .`];
    case "facebookresearch/hydra":
      return [
        ...(isBelow(version, 1, 3) ? HYDRA_OLD : []),
        "pip install -r requirements/dev.txt",
        "pip install -e .",
      ];
    case "getmoto/moto":
      return ["make init"];
    case "iterative/dvc":
      return [...DVC, ...(isBelow(version, 3, 4) ? FEW : [])];
    case "modin-project/modin":
      return [`${PIP} -e .`, ...(isBelow(version, 0, 20) ? [`${PIP} numpy==1.23.1 protobuf==3.20.1`] : [])];
    case "pandas-dev/pandas":
      return [
        ...(isBelow(version, 2, 2) ? [`${PIP} 'numpy<2'`] : []),
        `${PIP} -ve . --no-build-isolation -Ceditable-verbose=true`,
        "pip uninstall pytest-qt -y",
      ];
    case "project-monai/monai":
      return MONAI;
    case "pydantic/pydantic":
      return ['export PATH="$HOME/.local/bin:$PATH"', "pdm add pre-commit", "make install"];
    default:
      return [
        `${PIP} -r test-requirements.txt`,
        `${PIP} -e .`,
        ...(isBelow(version, 1, 0) ? ["pip install pytest pytest-xdist"] : []),
        "hash -r",
      ];
  }
}

const HYDRA_OLD: readonly string[] = [
  "sed -i 's|isort@git+git://github.com/timothycrosley/isort|isort@git+https://github.com/timothycrosley/isort|g' requirements/dev.txt",
  '{ tail -n1 requirements/requirements.txt | grep -q "." && echo ""; } >> requirements/requirements.txt',
  'echo "pip==24.0" >> requirements/requirements.txt',
  'pip install "pip==24.0"',
];

const DVC: readonly string[] = [
  `${PIP} --upgrade pip wheel GitPython`,
  `${PIP} "cython<3.0.0" && ${PIP} --no-build-isolation pyyaml==5.4.1`,
  `${PIP} git+https://github.com/iterative/mock-ssh-server.git || true`,
  `${PIP} -r tests/requirements.txt || true`,
  `${PIP} -r test-requirements.txt || true`,
  `${PIP} -e ".[tests,dev,all_remotes,all,testing]"`,
];

const MONAI: readonly string[] = [
  String.raw`sed -i '/^git+https:\/\/github.com\/Project-MONAI\//d' requirements-dev.txt`,
  `${PIP} types-pkg-resources==0.1.3 pytest`,
  "pip install -r requirements-dev.txt",
  "python setup.py develop",
];

/** Tests of mypy are cases in data files; pytest's -k takes their names. */
function mypyCases(testPatch: string): readonly string[] {
  return [[...testPatch.matchAll(/\[case ([^\]]+)\]/g)].map(([, name]) => name!).join(" or ")];
}

function isBelow(version: string, major: number, minor: number): boolean {
  const [own = 0, next = 0] = version.split(".").map(Number);
  return own < major || (own === major && next < minor);
}
