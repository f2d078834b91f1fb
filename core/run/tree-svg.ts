import type { Tree } from "../rollout/tree.ts";
import { actionsOf, actionText, endingOf, type Segment, segmentsOf } from "./segments.ts";

const TURN_PX = 56;
const ROW_PX = 34;
const LEFT_PX = 24;
const TOP_PX = 56;
const LABEL_PX = 230;

/** A tree as an SVG: turns from left to right, a row per leaf, checkpoints dashed, dots coloured by what happened. */
export function treeSvg(tree: Tree<unknown, unknown, unknown>): string {
  const turns = Math.max(1, ...tree.nodes.map(({ turn }) => turn));
  const shapes: string[] = [];
  let row = 0;
  const x = (turn: number) => LEFT_PX + turn * TURN_PX;
  const y = (at: number) => TOP_PX + at * ROW_PX;

  /** Draws a segment that starts at (turn, from) and returns its own row, the middle of its children's. */
  function draw(segment: Segment, startTurn: number): number {
    const end = segment.nodes.at(-1)?.turn ?? startTurn;
    const rows = segment.children.map((child) => draw(child, end));
    const own = rows.length === 0 ? row++ : (rows[0]! + rows.at(-1)!) / 2;
    for (const at of rows) shapes.push(link(x(end), y(own), x(end) + TURN_PX / 2, y(at)));
    const begin = startTurn === 0 ? x(0) : x(startTurn) + TURN_PX / 2;
    shapes.push(`<path class="edge" d="M${begin} ${y(own)}H${x(end)}"/>`);
    for (const { turn, choice } of segment.nodes) {
      shapes.push(
        `<circle class="turn" cx="${x(turn)}" cy="${y(own)}" r="3"><title>turn ${turn}: ${xml(actionText(choice!.action))}</title></circle>`,
      );
    }
    const kind = segment.leaf === undefined ? (segment.routing?.route ?? "survive") : leafKind(segment);
    shapes.push(
      `<circle class="${kind}" cx="${x(end)}" cy="${y(own)}" r="6"><title>${xml(`branch ${segment.branch}: ${actionsOf(segment)}; ${endingOf(segment)}`)}</title></circle>`,
    );
    const score = segment.routing?.score;
    if (score !== undefined) {
      shapes.push(`<text class="score" x="${x(end)}" y="${y(own) - 9}">${score.toFixed(2)}</text>`);
    }
    if (segment.leaf !== undefined) {
      shapes.push(
        `<text x="${x(end) + 12}" y="${y(own) + 4}">${xml(`${segment.branch}  ${endingOf(segment)}`)}</text>`,
      );
    }
    return own;
  }

  const roots = segmentsOf(tree).map((segment) => draw(segment, 0));
  if (roots.length > 1) shapes.push(`<path class="edge" d="M${x(0)} ${y(roots[0]!)}V${y(roots.at(-1)!)}"/>`);
  const [width, height] = [x(turns) + LABEL_PX, y(row) + 8];
  const marks = tree.checkpoints.map(
    ({ turn }) =>
      `<path class="checkpoint" d="M${x(turn)} ${TOP_PX - 14}V${height - 10}"/><text class="score" x="${x(turn)}" y="${TOP_PX - 18}">turn ${turn}</text>`,
  );
  const title = xml(`${tree.task.id}, seed ${tree.seed}: ${tree.strategy.name} with ${tree.policy}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>text{font:12px system-ui,sans-serif;fill:#222}.score{text-anchor:middle;font-size:10px;fill:#555}.edge{fill:none;stroke:#8a8f98;stroke-width:1.5}.checkpoint{stroke:#c9ccd1;stroke-dasharray:3 3}.turn{fill:#8a8f98}.expand{fill:#2f6fde}.survive{fill:#8a8f98}.prune,.pruned{fill:#e08a1e}.success{fill:#1f9d55}.failure{fill:#d43f3a}.other{fill:#444}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT_PX}" y="22" font-weight="600">${title}</text>
${marks.join("\n")}
${shapes.join("\n")}
</svg>
`;
}

function leafKind({ leaf }: Segment): string {
  const { end, reward } = leaf!;
  if (end.startsWith("pruned")) return "pruned";
  if (end === "error" || end === "aborted") return "other";
  return reward !== undefined && reward > 0 ? "success" : "failure";
}

function link(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return `<path class="edge" d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/>`;
}

/** What XML cannot hold, control characters and halves of surrogate pairs, becomes U+FFFD. */
function xml(value: string): string {
  return value
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[^\P{Cc}\t\n\r]|\p{Cs}|[\uFFFE\uFFFF]/gu, "\uFFFD");
}
