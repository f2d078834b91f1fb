import { InputError } from "../../../../core/errors.ts";
import { django } from "./django.ts";
import { doctest } from "./doctest.ts";
import { bpmnJs, chartJs, eslint, marked, openlayers, p5js } from "./failures-only.ts";
import { gradle, maven } from "./jvm.ts";
import { karma } from "./karma.ts";
import { type LogParser, UnreadableLog } from "./log-parser.ts";
import * as line from "./one-line.ts";
import { phpunit } from "./phpunit.ts";
import { matplotlib, pydantic, pytest, pytestOptions, pytestV2, seaborn } from "./pytest.ts";
import { sympy } from "./sympy.ts";

export { type LogParser, type StatusMap, UnreadableLog } from "./log-parser.ts";

/** A parser that goes by the number of the pull request, the last part of an instance's id. */
function byNumber(parsers: Readonly<Record<string, LogParser>>): LogParser {
  return (log, rules, id) => {
    const parser = parsers[id.slice(id.lastIndexOf("-") + 1)];
    if (parser === undefined) throw new UnreadableLog(`grading: no parser is known for ${id}`);
    return parser(log, rules, id);
  };
}

const jekyll = byNumber({
  9141: line.minitest,
  8047: line.minitest,
  8167: line.minitest,
  8761: line.cucumber,
  8771: line.cucumber,
});
const immutableJs = byNumber({ 2006: line.jest, 2005: line.jestJson });

/**
 * By the names that rows give in `log_parser`: those of SWE-bench, Lite, Verified, Multilingual,
 * SWE-Gym and, of Multimodal, those that name failures only.
 */
const PARSERS: ReadonlyMap<string, LogParser> = new Map(
  Object.entries({
    parse_log_pytest: pytest,
    parse_log_astroid: pytest,
    parse_log_flask: pytest,
    parse_log_marshmallow: pytest,
    parse_log_pvlib: pytest,
    parse_log_pyvista: pytest,
    parse_log_sqlfluff: pytest,
    parse_log_xarray: pytest,
    parse_log_pytest_options: pytestOptions,
    parse_log_pydicom: pytestOptions,
    parse_log_requests: pytestOptions,
    parse_log_pylint: pytestOptions,
    parse_log_pytest_pydantic: pydantic,
    parse_log_pytest_v2: pytestV2,
    parse_log_astropy: pytestV2,
    parse_log_scikit: pytestV2,
    parse_log_sphinx: pytestV2,
    parse_log_matplotlib: matplotlib,
    parse_log_seaborn: seaborn,
    parse_log_sympy: sympy,
    parse_log_django: django,
    parse_log_gotest: line.gotest,
    parse_log_cargo: line.cargo,
    parse_log_redis: line.redis,
    parse_log_jq: line.jq,
    parse_log_doctest: doctest,
    parse_log_micropython_test: line.micropython,
    parse_log_googletest: line.googletest,
    parse_log_maven: maven,
    parse_log_ant: line.ant,
    parse_log_gradle_custom: gradle,
    parse_log_phpunit: phpunit,
    parse_log_minitest: line.minitest,
    parse_log_cucumber: line.cucumber,
    parse_log_ruby_unit: line.rubyUnit,
    parse_log_rspec_transformed_json: line.rspec,
    parse_log_jekyll: jekyll,
    parse_log_jest: line.jest,
    parse_log_jest_json: line.jestJson,
    parse_log_vitest: line.vitest,
    parse_log_karma: karma,
    parse_log_tap: line.tap,
    parse_log_immutable_js: immutableJs,
    parse_log_bpmn_js: bpmnJs,
    parse_log_chart_js: chartJs,
    parse_log_eslint: eslint,
    parse_log_marked: marked,
    parse_log_openlayers: openlayers,
    parse_log_p5js: p5js,
  }),
);

/** Whether there is a parser of that name. */
export function isParser(name: string): boolean {
  return PARSERS.has(name);
}

/**
 * The parser of that name.
 * @throws {InputError} if there is none.
 */
export function parserOf(name: string): LogParser {
  const parser = PARSERS.get(name);
  if (parser !== undefined) return parser;
  throw new InputError(`grading: log_parser "${name}" is none of ${[...PARSERS.keys()].join(", ")}`);
}
