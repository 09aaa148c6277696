import { plain } from "@linkerd-multicluster/engine/kubernetes";
import { firstOf, mark, paint } from "./output.ts";
import type { Affected, Room, WhatIf, WithoutQuorum } from "./whatif.ts";
import type { Amount } from "./workloads.ts";

/** More are in `--output json`. */
const most = 50;

export function whatIfText(found: WhatIf): string {
  const { loss, affected, unaffected, notKnown, undecided = [] } = found;
  const words = Object.values(loss).map((text) => plain(text));
  const caught = affected.filter((each) => each.left === "nothing" && each.routedTo.length > 0);
  const without = affected.filter((each) => each.left === "nothing").length - caught.length;
  const fewer = affected.length - without - caught.length;
  const kept = Object.values(unaffected).reduce((total, each) => total + each, 0);
  const counts = [
    `${without} left without`,
    ...(caught.length > 0 ? [`${caught.length} caught by routes`] : []),
    ...[`${fewer} with fewer members`, `${kept} as before`],
  ];
  return [
    `without ${words.join(" ")}: ${counts.join(", ")}`,
    ...firstOf(affected.toSorted(worstFirst).map(affectedLine), most),
    ...firstOf(found.withoutQuorum.map(quorumLine), most),
    ...found.room.map(roomLine),
    ...undecided.map((why) => `  ${mark("warn")} undecided: ${plain(why)}`),
    paint("dim", plain(`not known: ${notKnown.join("; ")}`)),
    "",
  ].join("\n");
}

function affectedLine({ source, mirror, left, by, notReady, routedTo }: Affected): string {
  const rest = by.length === 0 ? "nothing is left of it" : `goes on with ${by.join(", ")}`;
  const asleep = notReady.length === 0 ? "" : `, but no pod is ready in ${notReady.join(", ")}`;
  const routed = routedTo.length === 0 ? "" : `; an HTTPRoute leads to ${routedTo.join(", ")}`;
  const isBad = left === "nothing" && routedTo.length === 0;
  return `  ${mark(isBad ? "bad" : "warn")} ${plain(`${source}: ${mirror}: ${rest}${asleep}${routed}`)}`;
}

function quorumLine({ source, service, pods, left }: WithoutQuorum): string {
  return `  ${mark("bad")} ${plain(`${source}: ${service}: reaches ${left} of its ${pods} pods, which is no majority`)}`;
}

function roomLine({ cluster, free, wanted, isEnough }: Room): string {
  const tone = isEnough ? "good" : "bad";
  const text = `${cluster}: nodes have ${amountText(free)} left, and the lost pods' share is ${amountText(wanted)}`;
  return `  ${mark(tone)} ${plain(text)}`;
}

function amountText({ cpu, memory }: Amount): string {
  return `${cpu.toFixed(1)} CPU and ${(memory / 2 ** 30).toFixed(1)} GiB`;
}

function worstFirst(one: Affected, other: Affected): number {
  const rank = ({ left, routedTo }: Affected) =>
    left === "fewer" ? 2 : Math.min(1, routedTo.length);
  return rank(one) - rank(other);
}
