import { InputError } from "../../../core/errors.ts";
import { isParser } from "../grading/parsers/index.ts";
import { SMITH_PYTEST } from "../grading/swe-smith.ts";
import type { EvalType, SweFamily, SweInstance } from "../instance.ts";
import { evalScript, R2E_SCRIPT, smithScript } from "./eval-script.ts";
import { familyOf } from "./family.ts";
import { filled, object, type Row, shown, testIds, text, textIfAny } from "./fields.ts";
import { checkedScript } from "./gradable.ts";
import { gymSpecOf } from "./gym-specs.ts";
import { imageOf } from "./image.ts";
import { evalTypeFor, gymParserFor, parserFor } from "./parsers.ts";
import { r2eBase, r2eExpected, r2eGold, r2eId, r2eIssue } from "./r2e.ts";
import { specOf, type TestSpec } from "./specs.ts";

/**
 * A published row as an instance. Its family is the one given, or the one its fields tell of.
 * @throws {InputError} naming the field that is missing or wrong.
 */
export function toInstance(row: Row, family: SweFamily = familyOf(row)): SweInstance {
  return family === "r2e-gym" ? fromR2e(row) : fromSweBench(row, family);
}

function fromSweBench(row: Row, family: SweFamily): SweInstance {
  const id = safeId(filled(row, "instance_id"), "instance_id");
  const repo = filled(row, "repo");
  const smith = family === "swe-smith";
  const baseCommit = revision(smith ? (textIfAny(row, "base_commit") ?? "HEAD") : filled(row, "base_commit"));
  const testPatch = smith ? (textIfAny(row, "test_patch") ?? "") : text(row, "test_patch");
  const failToPass = testIds(row, "FAIL_TO_PASS");
  if (failToPass === undefined)
    throw new InputError(
      "FAIL_TO_PASS: expected a list of test ids, got nothing; without one any patch that breaks no test would count as resolved",
    );
  const passToPass = testIds(row, "PASS_TO_PASS") ?? [];
  if (failToPass.length + passToPass.length === 0)
    throw new InputError(
      "FAIL_TO_PASS: expected at least one test here or in PASS_TO_PASS, got none; any patch would count as resolved",
    );
  refuseAssets(row);
  const own = { repo, baseCommit, testPatch };
  return {
    id,
    family,
    repo,
    baseCommit,
    problemStatement: text(row, "problem_statement"),
    image: imageOf(family, { ...imageFields(row), id, repo, commit: baseCommit }),
    hidden: {
      goldPatch: text(row, "patch"),
      goldReversed: smith,
      testPatch,
      failToPass,
      passToPass,
      evalScript:
        ownScript(row, family) ??
        (smith
          ? smithScript(baseCommit, [...failToPass, ...passToPass])
          : built(own, testSpec(row, family, repo))),
      logParser: logParser(row, family, repo),
      evalType: evalType(row, repo),
      expectedOutput: null,
      hintsText: textIfAny(row, "hints_text") ?? "",
    },
  };
}

function fromR2e(row: Row): SweInstance {
  const id = safeId(textIfAny(row, "instance_id") ?? r2eId(row), "repo_name");
  const repo = filled(row, "repo_name");
  return {
    id,
    family: "r2e-gym",
    repo,
    baseCommit: revision(r2eBase(row)),
    problemStatement: r2eIssue(row),
    image: imageOf("r2e-gym", {
      ...imageFields(row),
      id,
      repo,
      commit: revision(filled(row, "commit_hash")),
    }),
    hidden: {
      goldPatch: r2eGold(row),
      goldReversed: false,
      testPatch: "",
      failToPass: [],
      passToPass: [],
      evalScript: textIfAny(row, "eval_script") ?? R2E_SCRIPT,
      logParser: textIfAny(row, "log_parser") ?? "parse_log_r2e",
      evalType: "pass_and_fail",
      expectedOutput: r2eExpected(row),
      hintsText: textIfAny(row, "hints_text") ?? "",
    },
  };
}

function imageFields(row: Row) {
  const image = textIfAny(row, "image");
  const imageName = textIfAny(row, "image_name");
  const dockerImage = textIfAny(row, "docker_image");
  return {
    ...(image === undefined ? {} : { image }),
    ...(imageName === undefined ? {} : { imageName }),
    ...(dockerImage === undefined ? {} : { dockerImage }),
  };
}

/** Ids name folders of logs, so they must be names of files. */
function safeId(id: string, field: string): string {
  if (/^[^/\\\s\0]+$/.test(id) && id !== "." && id !== "..") return id;
  throw new InputError(`${field}: expected an id without blanks and slashes, got ${shown(id)}`);
}

/** Revisions stand in scripts, so they must be one word of bash and no option of git. */
function revision(commit: string): string {
  if (/^\w[\w.~^/-]*$/.test(commit)) return commit;
  throw new InputError(`base_commit: expected a commit's hash, got ${shown(commit)}`);
}

function ownScript(row: Row, family: SweFamily): string | undefined {
  const script = textIfAny(row, "eval_script");
  return script && checkedScript(script, family);
}

/** Of Multimodal: files that the harness puts into the tree before the tests (SWE-bench 5.0.2), which is not done here. */
function refuseAssets(row: Row): void {
  const assets = object(row, "image_assets");
  for (const part of ["test_patch", "patch"]) {
    const files = assets?.[part];
    if (files === undefined || files === null || (Array.isArray(files) && files.length === 0)) continue;
    throw new InputError(
      `image_assets.${part}: expected no files, got ${shown(files)}; they would have to be downloaded into the ` +
        "repository before the tests, and without them the verdict is not the official one",
    );
  }
}

function built(own: Parameters<typeof evalScript>[0], spec: TestSpec | undefined): string | null {
  return spec === undefined ? null : evalScript(own, spec);
}

// The fork of SWE-rebench (harness/utils.py) sets these in front of its commands.
const C_UTF8 = "LANG=C.UTF-8 LC_ALL=C.UTF-8 ";

function testSpec(row: Row, family: SweFamily, repo: string): TestSpec | undefined {
  const config = object(row, "install_config");
  if (config === undefined) {
    const version = textIfAny(row, "version");
    if (version === undefined) return undefined;
    return (family === "swe-gym" ? gymSpecOf(repo, version) : undefined) ?? specOf(repo, version);
  }
  const test = commands(config, "test_cmd");
  if (test.length === 0) return undefined;
  const install = commands(config, "install");
  return {
    before: commands(config, "eval_commands"),
    install: install.length === 0 ? null : C_UTF8 + install.join("\n"),
    test: C_UTF8 + test.join("\n"),
  };
}

function commands(config: Row, field: string): readonly string[] {
  const value = config[field];
  if (value === undefined || value === null || value === "") return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((command) => {
    if (typeof command === "string") return command;
    throw new InputError(`install_config.${field}: expected commands, got ${shown(command)}`);
  });
}

/** Of SWE-smith: repositories whose tests are not pytest's, so that neither its parser nor its command fits. */
const OWN_RUNNER = /autograd|paramiko|mypy|tornado|python-slugify|gin-gonic/i;

function logParser(row: Row, family: SweFamily, repo: string): string {
  const own = textIfAny(row, "log_parser");
  if (own !== undefined) return knownParser(own, family, "log_parser");
  const config = object(row, "install_config");
  const named = config && textIfAny(config, "log_parser");
  if (named !== undefined) return knownParser(named, family, "install_config.log_parser");
  if (family === "swe-gym") return gymParserFor(repo);
  if (family === "swe-rebench") return "parse_log_pytest";
  if (family === "swe-smith" && !OWN_RUNNER.test(repo)) return "parse_log_pytest";
  const known = family === "swe-smith" ? undefined : parserFor(repo);
  if (known !== undefined) return known;
  throw new InputError(
    `log_parser: expected the name of a parser, got nothing, and none is known for ${repo}; add it`,
  );
}

function knownParser(name: string, family: SweFamily, field: string): string {
  if (isParser(name) || (family === "swe-smith" && SMITH_PYTEST.includes(name))) return name;
  throw new InputError(
    `${field}: expected the name of a parser of SWE-bench, for example parse_log_pytest, got ${shown(name)}`,
  );
}

function evalType(row: Row, repo: string): EvalType {
  const named = textIfAny(row, "eval_type") ?? evalTypeFor(repo);
  if (named === "pass_and_fail" || named === "fail_only") return named;
  throw new InputError(`eval_type: expected pass_and_fail or fail_only, got ${shown(named)}`);
}
