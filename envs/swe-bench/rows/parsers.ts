import type { EvalType } from "../instance.ts";

// Rows before v5 do not name their log parser; the harness (SWE-bench 5.0.2, harness/log_parsers) goes by repository.
const PYTHON: Readonly<Record<string, string>> = {
  "astropy/astropy": "parse_log_astropy",
  "django/django": "parse_log_django",
  "marshmallow-code/marshmallow": "parse_log_marshmallow",
  "matplotlib/matplotlib": "parse_log_matplotlib",
  "mwaskom/seaborn": "parse_log_seaborn",
  "pallets/flask": "parse_log_flask",
  "psf/requests": "parse_log_requests",
  "pvlib/pvlib-python": "parse_log_pvlib",
  "pydata/xarray": "parse_log_xarray",
  "pydicom/pydicom": "parse_log_pydicom",
  "pylint-dev/astroid": "parse_log_astroid",
  "pylint-dev/pylint": "parse_log_pylint",
  "pytest-dev/pytest": "parse_log_pytest",
  "pyvista/pyvista": "parse_log_pyvista",
  "scikit-learn/scikit-learn": "parse_log_scikit",
  "sphinx-doc/sphinx": "parse_log_sphinx",
  "sqlfluff/sqlfluff": "parse_log_sqlfluff",
  "sympy/sympy": "parse_log_sympy",
};

const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  "redis/redis": "parse_log_redis",
  "valkey-io/valkey": "parse_log_redis",
  "jqlang/jq": "parse_log_jq",
  "nlohmann/json": "parse_log_doctest",
  "micropython/micropython": "parse_log_micropython_test",
  "fmtlib/fmt": "parse_log_googletest",
  "caddyserver/caddy": "parse_log_gotest",
  "hashicorp/terraform": "parse_log_gotest",
  "prometheus/prometheus": "parse_log_gotest",
  "gohugoio/hugo": "parse_log_gotest",
  "gin-gonic/gin": "parse_log_gotest",
  "google/gson": "parse_log_maven",
  "apache/druid": "parse_log_maven",
  "javaparser/javaparser": "parse_log_maven",
  "projectlombok/lombok": "parse_log_ant",
  "apache/lucene": "parse_log_gradle_custom",
  "reactivex/rxjava": "parse_log_gradle_custom",
  "babel/babel": "parse_log_jest",
  "facebook/docusaurus": "parse_log_jest",
  "vuejs/core": "parse_log_vitest",
  "immutable-js/immutable-js": "parse_log_immutable_js",
  "mrdoob/three.js": "parse_log_tap",
  "axios/axios": "parse_log_tap",
  "preactjs/preact": "parse_log_karma",
  "phpoffice/phpspreadsheet": "parse_log_phpunit",
  "laravel/framework": "parse_log_phpunit",
  "php-cs-fixer/php-cs-fixer": "parse_log_phpunit",
  "briannesbitt/carbon": "parse_log_phpunit",
  "jekyll/jekyll": "parse_log_jekyll",
  "fluent/fluentd": "parse_log_ruby_unit",
  "faker-ruby/faker": "parse_log_ruby_unit",
  "fastlane/fastlane": "parse_log_rspec_transformed_json",
  "jordansissel/fpm": "parse_log_rspec_transformed_json",
  "rubocop/rubocop": "parse_log_rspec_transformed_json",
  "burntsushi/ripgrep": "parse_log_cargo",
  "sharkdp/bat": "parse_log_cargo",
  "astral-sh/ruff": "parse_log_cargo",
  "tokio-rs/tokio": "parse_log_cargo",
  "tokio-rs/axum": "parse_log_cargo",
  "uutils/coreutils": "parse_log_cargo",
  "nushell/nushell": "parse_log_cargo",
};

/** Of SWE-Gym (SWE-Gym/SWE-Bench-Fork): pytest's, but for pydantic, whose logs have the test before the status. */
const GYM_PYDANTIC = "pydantic/pydantic";

/** Repositories whose tests print failures only (SWE-bench 5.0.2). */
const FAIL_ONLY: ReadonlySet<string> = new Set([
  "bpmn-io/bpmn-js",
  "chartjs/chart.js",
  "eslint/eslint",
  "markedjs/marked",
  "openlayers/openlayers",
  "processing/p5.js",
]);

/** Undefined if the harness has none for this repository. */
export function parserFor(repo: string): string | undefined {
  const key = repo.toLowerCase();
  return PYTHON[key] ?? OTHER_LANGUAGES[key];
}

export function gymParserFor(repo: string): string {
  return repo.toLowerCase() === GYM_PYDANTIC ? "parse_log_pytest_pydantic" : "parse_log_pytest";
}

export function isMultilingual(repo: string): boolean {
  return Object.hasOwn(OTHER_LANGUAGES, repo.toLowerCase());
}

export function evalTypeFor(repo: string): EvalType {
  return FAIL_ONLY.has(repo.toLowerCase()) ? "fail_only" : "pass_and_fail";
}
