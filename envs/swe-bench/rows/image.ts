import type { SweFamily } from "../instance.ts";

/** What of a row decides its image; undefined where the row says nothing. */
export interface ImageFields {
  readonly id: string;
  /** Of v5 rows. */
  readonly image?: string;
  readonly imageName?: string;
  readonly dockerImage?: string;
  /** R2E-Gym's image is named after these. */
  readonly repo: string;
  readonly commit: string;
}

/**
 * The Docker image of a row: what the row names, `image` (SWE-bench v5) before `image_name` before `docker_image`
 * (the order of mini-swe-agent's swebench runner), else the name under which its family is published. Those names
 * are for x86_64: no family publishes a full set for arm64.
 */
export function imageOf(family: SweFamily, row: ImageFields): string {
  const named = row.image ?? row.imageName ?? row.dockerImage;
  if (named === undefined) return published(family, row);
  // SWE-smith's rows name the image without its account, and with the `__` that Docker Hub forbids.
  if (family !== "swe-smith" || named.includes("/")) return named;
  return withTag(`jyangballin/${named.replaceAll("__", "_1776_")}`);
}

function published(family: SweFamily, { id, repo, commit }: ImageFields): string {
  switch (family) {
    case "swe-gym":
      return `docker.io/xingyaoww/sweb.eval.x86_64.${id.replaceAll("__", "_s_")}:latest`.toLowerCase();
    case "swe-smith":
      // repo is "swesmith/owner__repo.commit8"; ids add ".kind__hash" to it.
      return `jyangballin/swesmith.x86_64.${repo.replace("swesmith/", "").replaceAll("__", "_1776_")}:latest`.toLowerCase();
    case "swe-rebench":
      return `docker.io/swerebench/sweb.eval.x86_64.${id.replaceAll("__", "_1776_")}:latest`.toLowerCase();
    case "r2e-gym":
      return `namanjain12/${repo}_final:${commit}`;
    default:
      return `docker.io/swebench/sweb.eval.x86_64.${id.replaceAll("__", "_1776_")}:latest`.toLowerCase();
  }
}

function withTag(name: string): string {
  return /[:@]/.test(name.slice(name.lastIndexOf("/"))) ? name : `${name}:latest`;
}
