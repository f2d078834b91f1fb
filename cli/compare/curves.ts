import type { CurvePoint } from "./cell.ts";
import type { Regime } from "./regimes.ts";
import type { Row } from "./stats.ts";

const PANEL = { width: 430, height: 240, left: 46, right: 12, top: 30, bottom: 34 };
const COLOURS = ["#6b7280", "#a16207", "#0e7490", "#2563eb", "#c026d3", "#16a34a", "#dc2626"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];

const MEASURES: readonly {
  readonly key: keyof CurvePoint;
  readonly title: string;
  readonly unit: "share" | "number";
}[] = [
  { key: "success", title: "Success of the leaves in training", unit: "share" },
  { key: "mixed", title: "Groups with mixed outcomes", unit: "share" },
  { key: "entropy", title: "Entropy of a choice (nats)", unit: "number" },
  { key: "turns", title: "Turns of a leaf", unit: "number" },
];

/** Learning curves of a regime, means over seeds against env steps: four panels and a legend, as an SVG. */
export function curvesSvg(regime: Regime, rows: readonly Row[]): string {
  const methods = [...new Set(rows.map(({ method }) => method))];
  const style = (row: Row) => {
    const dash = DASHES[rows.filter(({ method }) => method === row.method).indexOf(row) % DASHES.length]!;
    return `stroke="${COLOURS[methods.indexOf(row.method) % COLOURS.length]}" stroke-dasharray="${dash}"`;
  };
  const panels = MEASURES.map((measure, at) => {
    const [x, y] = [(at % 2) * PANEL.width, 28 + Math.floor(at / 2) * PANEL.height];
    return `<g transform="translate(${x} ${y})">${panel(measure, rows, style)}</g>`;
  });
  const legendTop = 28 + 2 * PANEL.height + 14;
  const legend = rows.map((row, at) => {
    const [x, y] = [PANEL.left + (at % 4) * 205, legendTop + Math.floor(at / 4) * 18];
    return `<path d="M${x} ${y - 4}h26" fill="none" stroke-width="2" ${style(row)}/><text x="${x + 32}" y="${y}">${row.method} ${row.setting}</text>`;
  });
  const [width, height] = [2 * PANEL.width, legendTop + Math.ceil(rows.length / 4) * 18];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${regime.title}</title>
<style>text{font:11px system-ui,sans-serif;fill:#222}.axis{stroke:#9ca3af}.grid{stroke:#e5e7eb}.tick{fill:#6b7280}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${PANEL.left}" y="18" font-weight="600" font-size="13">${regime.title}</text>
${panels.join("\n")}
${legend.join("\n")}
</svg>
`;
}

function panel(
  { key, title, unit }: (typeof MEASURES)[number],
  rows: readonly Row[],
  style: (row: Row) => string,
): string {
  const lines = rows.map((row) => meanCurve(row, key));
  const all = lines.flat().filter(([, y]) => Number.isFinite(y));
  const right = Math.max(1, ...all.map(([x]) => x));
  const top = niceTop(Math.max(1e-9, ...all.map(([, y]) => y)));
  const { width, height, left, bottom } = PANEL;
  const x = (value: number) => left + (value / right) * (width - left - PANEL.right);
  const y = (value: number) => height - bottom - (value / top) * (height - bottom - PANEL.top);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  const label = (value: number) =>
    unit === "share" ? `${Math.round(100 * value)}%` : String(Number(value.toPrecision(3)));
  return [
    `<text x="${left}" y="18">${title}</text>`,
    ...ticks.map(
      (tick) =>
        `<path class="grid" d="M${left} ${y(tick).toFixed(1)}H${width - PANEL.right}"/><text class="tick" x="${left - 6}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${label(tick)}</text>`,
    ),
    ...[0, 0.5, 1].map(
      (share) =>
        `<text class="tick" x="${x(share * right).toFixed(1)}" y="${height - bottom + 16}" text-anchor="${["start", "middle", "end"][2 * share]}">${Math.round((share * right) / 1000)}k steps</text>`,
    ),
    `<path class="axis" fill="none" d="M${left} ${PANEL.top}V${height - bottom}H${width - PANEL.right}"/>`,
    ...lines.map(
      (line, at) =>
        `<polyline fill="none" stroke-width="1.6" ${style(rows[at]!)} points="${line.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(" ")}"/>`,
    ),
  ].join("");
}

/** Points of the mean over seeds. */
function meanCurve({ cells }: Row, key: keyof CurvePoint): [number, number][] {
  return cells[0]!.curve.map((_, at) => {
    const points = cells.map(({ curve }) => curve[at]!);
    const mean = (of: (point: CurvePoint) => number) =>
      points.reduce((sum, point) => sum + of(point), 0) / points.length;
    return [mean(({ envSteps }) => envSteps), mean((point) => point[key])];
  });
}

/** The next of 1, 1.5, 2, 3, 4, 5, 6, 8, 10 times a power of ten. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value - 1e-12)!;
}
