import { dateOf } from "../shell/date.ts";
import { zoneText } from "./commit.ts";

export interface Time {
  /** Since 1970. */
  readonly seconds: number;
  /** East of Greenwich, in minutes. */
  readonly zone: number;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const UNITS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
};

/**
 * A time in one of git's own forms: `@1700000000 +0100`, `1700000000`, `2024-01-31T10:00:00Z`, `Wed, 31 Jan 2024
 * 10:00:00 +0100`, `now`, `yesterday`, `2 weeks ago`. Undefined if it is none.
 */
export function parseTime(text: string, nowSeconds: number): Time | undefined {
  const given = text.trim();
  const plain = /^@?(\d{9,})(?:\s+([+-]\d{4}))?$/.exec(given);
  if (plain) return { seconds: Number(plain[1]), zone: zoneOf(plain[2]) };
  if (given === "now") return { seconds: nowSeconds, zone: 0 };
  if (given === "yesterday") return { seconds: nowSeconds - UNITS.day!, zone: 0 };
  const ago = /^(\d+)[ .](second|minute|hour|day|week|month|year)s?[ .]ago$/.exec(given);
  if (ago) return { seconds: nowSeconds - Number(ago[1]) * UNITS[ago[2]!]!, zone: 0 };
  const zone = /(?:\s*)(Z|GMT|UTC|[+-]\d{2}:?\d{2})$/.exec(given);
  const bare = (zone ? given.slice(0, zone.index) : given).replaceAll(".", "-").replace("T", " ");
  const offset = zoneOf(zone?.[1]);
  const ms = Date.parse(`${/\d:\d/.test(bare) ? bare : `${bare} 00:00:00`} GMT`);
  return Number.isNaN(ms) ? undefined : { seconds: Math.floor(ms / 1000) - offset * 60, zone: offset };
}

function zoneOf(text = "+0000"): number {
  if (!/^[+-]/.test(text)) return 0;
  const digits = text.slice(1).replace(":", "");
  const size = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return text[0] === "-" ? -size : size;
}

/** `Thu Jan 1 00:00:00 1970 +0000`, as `git log` shows it. */
export function showTime({ seconds, zone }: Time): string {
  const date = local(seconds, zone);
  const day = `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  return `${day} ${iso(date).slice(11, 19)} ${date.getUTCFullYear()} ${zoneText(zone)}`;
}

/** `1970-01-01 00:00:00 +0000` */
export function isoTime({ seconds, zone }: Time): string {
  return `${iso(local(seconds, zone)).replace("T", " ").slice(0, 19)} ${zoneText(zone)}`;
}

/** `1970-01-01T00:00:00+00:00` */
export function strictIsoTime({ seconds, zone }: Time): string {
  const text = zoneText(zone);
  return `${iso(local(seconds, zone)).slice(0, 19)}${text.slice(0, 3)}:${text.slice(3)}`;
}

/** `1970-01-01` */
export function dayOf({ seconds, zone }: Time): string {
  return iso(local(seconds, zone)).slice(0, 10);
}

/** `Thu, 1 Jan 1970 00:00:00 +0000` */
export function mailTime({ seconds, zone }: Time): string {
  const date = local(seconds, zone);
  const day = `${DAYS[date.getUTCDay()]}, ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  return `${day} ${date.getUTCFullYear()} ${iso(date).slice(11, 19)} ${zoneText(zone)}`;
}

function local(seconds: number, zone: number): Date {
  return dateOf((seconds + zone * 60) * 1000);
}

function iso(date: Date): string {
  return date.toISOString();
}
