import type { Labels, MeterSnapshot } from "./meter.ts";

/**
 * The snapshot as Prometheus reads it, to be served as `text/plain; version=0.0.4`.
 * Source of the format: prometheus.io, "Exposition formats", text-based format 0.0.4.
 */
export function exposition(snapshot: MeterSnapshot): string {
  const lines: string[] = [];
  for (const { name, kind, help, buckets = [], series } of snapshot) {
    lines.push(`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${kind}`);
    for (const { labels, value, count, buckets: counts = [] } of series) {
      if (kind !== "histogram") {
        lines.push(`${name}${braces(labels)} ${number(value)}`);
        continue;
      }
      for (const [place, atMost] of buckets.entries()) {
        lines.push(`${name}_bucket${braces({ ...labels, le: number(atMost) })} ${counts[place]}`);
      }
      lines.push(`${name}_bucket${braces({ ...labels, le: "+Inf" })} ${count}`);
      lines.push(`${name}_sum${braces(labels)} ${number(value)}`, `${name}_count${braces(labels)} ${count}`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function braces(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
