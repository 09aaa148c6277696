import { plain } from "@linkerd-multicluster/engine/kubernetes";
import { stackStateIn } from "@linkerd-multicluster/engine/watch";
import type { Facts } from "./facts.ts";
import { linesOf } from "./facts-of-state.ts";
import { paint } from "./output.ts";
import type { Update } from "./updates.ts";

/** One side of a comparison: the lines by which previews know mirrors. */
export interface Side {
  /** What it is, in words. */
  readonly name: string;
  readonly lines: ReadonlyMap<string, Line>;
}

export interface Line {
  readonly source: string;
  /** The name of the link's target, or `federated`. */
  readonly part: string;
  /** `namespace/name`. */
  readonly mirror: string;
  readonly line: string;
}

export interface MirrorChange extends Omit<Line, "line"> {
  readonly what: "came" | "changed" | "went";
  readonly before?: string;
  readonly after?: string;
}

/** `linkerd-clusters diff --output json`, of two sides. */
export interface MirrorDifference {
  readonly version: 1;
  readonly from: string;
  readonly to: string;
  readonly changes: readonly MirrorChange[];
}

/** A change with the update that has made it. */
export interface DatedChange extends MirrorChange {
  readonly update: number;
  readonly at: string;
  readonly kind: string;
  readonly message: string;
}

/** The mirrors that a state lists, as `pulumi stack export` prints it. */
export function sideOfState(name: string, exported: string): Side {
  return sideOf(name, [...stackStateIn(exported).mirrors.values()].flatMap(linesOf));
}

/** The mirrors that are there now, each with the fields that are not as they should be. */
export function sideOfLive({ mirrors }: Facts): Side {
  const lines = mirrors.flatMap(({ source, part, mirror, line, verdict, fields = [] }) => {
    if (verdict === "create" || verdict === "handOver") return [];
    const drift = fields.length === 0 ? "" : ` (${fields.join("; ")})`;
    return [{ source, part, mirror, line: `${line}${drift}` }];
  });
  return sideOf("live", lines);
}

function sideOf(name: string, lines: readonly Line[]): Side {
  return {
    name,
    lines: new Map(lines.map((each) => [`${each.source}\n${each.part}\n${each.mirror}`, each])),
  };
}

/** Which mirrors came, changed and went from one side to the other. Pure. */
export function difference(from: Side, to: Side): MirrorDifference {
  const keys = [...new Set([...from.lines.keys(), ...to.lines.keys()])].sort();
  const changes = keys.flatMap((key): MirrorChange[] => {
    const [before, after] = [from.lines.get(key), to.lines.get(key)];
    const about = after ?? before;
    if (about === undefined || before?.line === after?.line) return [];
    const { source, part, mirror } = about;
    return [
      {
        ...{ source, part, mirror },
        what: before === undefined ? "came" : after === undefined ? "went" : "changed",
        ...(before !== undefined && { before: before.line }),
        ...(after !== undefined && { after: after.line }),
      },
    ];
  });
  return { version: 1, from: from.name, to: to.name, changes };
}

/**
 * What has become of the mirrors of one name, update by update, the latest first: by which run each is there.
 *
 * @param asked `namespace/name` of a mirror, or its name in any namespace
 */
export async function historyOf(
  updates: readonly Update[],
  asked: string,
): Promise<readonly DatedChange[]> {
  const isMeant = ({ mirror }: { readonly mirror: string }) =>
    mirror === asked || mirror.slice(mirror.indexOf("/") + 1) === asked;
  const changes: DatedChange[] = [];
  let before = sideOf("nothing", []);
  for (const { number, run, state } of updates.toReversed()) {
    const after = sideOfState(`update ${number}`, await state());
    const { endedAt: at, kind, message } = run;
    for (const change of difference(before, after).changes)
      if (isMeant(change)) changes.push({ ...change, update: number, at, kind, message });
    before = after;
  }
  return changes.reverse();
}

const signs = { came: ["+", "good"], changed: ["~", "warn"], went: ["-", "bad"] } as const;

export function differenceText({ from, to, changes }: MirrorDifference): string {
  const number = (wanted: MirrorChange["what"]) =>
    changes.filter(({ what }) => what === wanted).length;
  const counts = `${number("came")} came, ${number("changed")} changed, ${number("went")} went`;
  const parts = Map.groupBy(changes, ({ source, part }) => `${source} <- ${part}`);
  return [
    `from ${from} to ${to}: ${changes.length === 0 ? "the same mirrors" : counts}`,
    ...[...parts].flatMap(([part, some]) => ["", paint("head", part), ...some.map(changeText)]),
    "",
  ].join("\n");
}

export function historyText(changes: readonly DatedChange[]): string {
  return changes
    .map((change) => {
      const { update, at, kind, message, source, part } = change;
      const why = message === "" ? "" : ` (${plain(message)})`;
      return `update ${update}, ${kind} of ${at}${why}, ${source} <- ${part}\n${changeText(change)}\n`;
    })
    .join("");
}

function changeText({ what, mirror, before, after }: MirrorChange): string {
  const [sign, tone] = signs[what];
  const lines = [before, after].flatMap((line) => (line === undefined ? [] : [plain(line)]));
  return `  ${paint(tone, sign)} ${plain(mirror)}: ${lines.join(" → ")}`;
}
