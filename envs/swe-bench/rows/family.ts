import type { SweFamily } from "../instance.ts";
import type { Row } from "./fields.ts";
import { isMultilingual } from "./parsers.ts";

export const FAMILIES: readonly SweFamily[] = [
  "swe-bench",
  "swe-bench-multilingual",
  "swe-gym",
  "swe-smith",
  "swe-rebench",
  "r2e-gym",
];

/** The 11 repositories of SWE-Gym. Its rows have no field that SWE-bench's lack. */
const GYM_REPOS: ReadonlySet<string> = new Set([
  "bokeh/bokeh",
  "conan-io/conan",
  "dask/dask",
  "facebookresearch/hydra",
  "getmoto/moto",
  "iterative/dvc",
  "modin-project/modin",
  "pandas-dev/pandas",
  "project-monai/monai",
  "pydantic/pydantic",
  "python/mypy",
]);

/** The family that a row's fields tell of; Lite, Verified and Multimodal are `swe-bench`. */
export function familyOf(row: Row): SweFamily {
  const repo = String(row.repo ?? "");
  const image = String(row.image_name ?? row.docker_image ?? row.image ?? "");
  if (has(row, "repo_name") && has(row, "commit_hash") && has(row, "expected_output_json")) return "r2e-gym";
  if (repo.startsWith("swesmith/") || image.includes("swesmith")) return "swe-smith";
  if (has(row, "install_config") || image.includes("swerebench/")) return "swe-rebench";
  if (GYM_REPOS.has(repo.toLowerCase()) || image.includes("xingyaoww/")) return "swe-gym";
  if (!has(row, "image_assets") && isMultilingual(repo)) return "swe-bench-multilingual";
  return "swe-bench";
}

function has(row: Row, field: string): boolean {
  return row[field] !== undefined && row[field] !== null;
}
