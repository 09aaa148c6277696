import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { poll, type Polling, systemTime } from "../kubernetes/client/retry.ts";
import { hostnameOf, type Resolve } from "../gateway/facts.ts";
import { resultOf } from "../base/result.ts";
import type { TargetArgs, TargetFacts, TargetInputs } from "./state.ts";
import type { TargetRead, TargetReading } from "./target.ts";
import { UserError } from "../base/user-error.ts";

/** @param before the token of the previous run */
export type ReadTarget = (args: TargetArgs, before: string | undefined) => Promise<TargetReading>;

interface CheckedTarget {
  readonly inputs: TargetInputs;
  readonly mistake?: string;
  readonly notes: readonly string[];
}

/**
 * Puts the target's facts into the inputs, where a preview shows them. If they can't be read and are not known from
 * before, the update reads them once everything that the link depends on exists.
 */
export async function checkTarget(
  read: ReadTarget,
  olds: Partial<TargetInputs>,
  args: TargetArgs,
): Promise<CheckedTarget> {
  const { adopt, ...others } = args;
  // Once the link has adopted, its objects are this stack's.
  const reading = await read(olds.adopt === undefined ? args : others, olds.facts?.token);
  if ("value" in reading) {
    const { facts, rotates, notes } = withFormerGateway(reading.value, olds, args);
    const remark = rotates === undefined ? {} : { remark: `new token: ${rotates}` };
    return { inputs: { ...args, facts, ...remark }, notes };
  }
  if (reading.cause === "invalid") return { inputs: args, mistake: reading.why, notes: [] };
  const kept = factsOfSame(olds, args);
  if (kept === undefined) {
    const remark = `known after the update, because now ${reading.why}`;
    return { inputs: { ...args, remark }, notes: [] };
  }
  const remark = `kept from the last run, because ${reading.why}`;
  return { inputs: { ...args, facts: kept, remark }, notes: [remark] };
}

/** Sends nothing, because refresh calls this function too. */
export function isSameTarget(
  olds: Partial<TargetInputs>,
  news: Partial<TargetInputs> & TargetArgs,
): boolean {
  // A link that is in state from a run without `adopt` still has to adopt.
  const isAdopted = (olds.adopt === undefined) === (news.adopt === undefined);
  return (
    isAdopted && news.facts !== undefined && isDeepStrictEqual(factsOfSame(olds, news), news.facts)
  );
}

/** Returns the facts of `olds` if they were read for the same arguments. */
function factsOfSame(olds: Partial<TargetInputs>, args: TargetArgs): TargetFacts | undefined {
  return isDeepStrictEqual(argsIn(olds), argsIn(args)) ? olds.facts : undefined;
}

/**
 * Keeps the Link's gateway until one of the names resolves to which the target moves it: otherwise, a target could take
 * its mirrors' gateway away, or have each run wait for another name.
 */
function withFormerGateway(
  { unresolved, ...found }: TargetRead,
  olds: Partial<TargetInputs>,
  args: TargetArgs,
): TargetRead {
  const former = gatewayOfSame(olds, args);
  const { facts } = found;
  const isSame = isDeepStrictEqual(former?.addresses, facts.gateway?.addresses);
  if (former === undefined || unresolved === undefined || isSame) return found;
  const note = `its Link keeps the gateway's addresses (${former.addresses.join(", ")}), because none of the new ones resolves (${unresolved}): run again once DNS has them, or set gateway.addresses on the link`;
  return { ...found, facts: { ...facts, gateway: former }, notes: [...found.notes, note] };
}

/** Returns the link's gateway of the last run if the same settings say where it is. */
function gatewayOfSame(olds: Partial<TargetInputs>, { gateway }: Pick<TargetArgs, "gateway">) {
  return isDeepStrictEqual(olds.gateway, gateway) ? olds.facts?.gateway : undefined;
}

/** These arguments decide about the token only: a new one waits for the target. */
type OfToken = "sourceAccess" | "sourceUnreachable" | "rotation";

/** These arguments hold for a single run. */
type OfRun = "adopt" | "awaited" | "targetRefused";

function argsIn(
  all: Partial<TargetInputs>,
): Record<Exclude<keyof TargetArgs, OfToken | OfRun>, unknown> {
  const { source, target, access, apiServer, targetDomain, gateway } = all;
  const { linkerdNamespace, multiclusterNamespace, discoverySelectors } = all;
  return {
    source,
    target,
    access,
    apiServer,
    targetDomain,
    gateway,
    linkerdNamespace,
    multiclusterNamespace,
    discoverySelectors,
  };
}

/** An update uses the facts of `check`, or else those that can be read now, or else the previous ones. */
export async function settleTarget(
  read: ReadTarget,
  olds: Partial<TargetInputs>,
  inputs: TargetInputs,
  polling: Polling,
  say: (line: string) => void,
): Promise<TargetFacts> {
  if (inputs.facts !== undefined) return inputs.facts;
  const tell = progress(inputs, polling, say);
  const look = async () => {
    const reading = await read(inputs, olds.facts?.token);
    if ("why" in reading && reading.soon === true) tell(reading.why);
    return reading;
  };
  const isEnough = (seen: TargetReading) => "value" in seen || seen.soon !== true;
  const reading = await poll(look, isEnough, polling);
  if ("value" in reading) return withFormerGateway(reading.value, olds, inputs).facts;
  const kept = reading.cause === "invalid" ? undefined : factsOfSame(olds, inputs);
  if (kept !== undefined) return kept;
  const waited = reading.soon === true ? `after ${polling.within / 1_000} s, ` : "";
  throw new UserError(`${linkOf(inputs)}: ${waited}${reading.why}`);
}

/**
 * A cloud announces the name of a new load balancer minutes before DNS has it. If none of the gateway's names resolves in
 * time, the run does the rest, and a later one writes the mirrors. Only a link's first gateway is waited for.
 */
export async function awaitHostnames(
  olds: Partial<TargetInputs>,
  inputs: TargetInputs,
  { gateway }: TargetFacts,
  resolve: Resolve,
  polling: Polling,
  say: (line: string) => void,
): Promise<void> {
  const { gateway: said } = inputs;
  if (gateway === undefined || said === false) return;
  if (gatewayOfSame(olds, inputs) !== undefined) return;
  const names = gateway.addresses;
  if (names.some((name) => isIP(name) !== 0)) return;
  const tell = progress(inputs, polling, say);
  const look = async () => {
    const asked = await Promise.all(
      names.map((name) => resultOf(() => resolve(hostnameOf(name, said)))),
    );
    const missing = names.filter((_, index) => "why" in (asked[index] ?? {}));
    if (missing.length === names.length)
      tell(`DNS has no address for the gateway's hostname ${missing.join(", ")} yet`);
    return missing;
  };
  const left = await poll(look, (missing) => missing.length < names.length, polling);
  if (left.length === names.length)
    say(
      `${linkOf(inputs)}: DNS still has no address for the gateway's hostname ${left.join(", ")}: its gateway mirrors wait for a later run, and everything else is done`,
    );
}

/** Prints the reason for a wait at once, and then every minute. */
function progress(
  inputs: TargetInputs,
  { within, time = systemTime }: Polling,
  say: (line: string) => void,
): (why: string) => void {
  const start = time.now();
  let next = start;
  return (why) => {
    const now = time.now();
    if (now < next) return;
    next = now + 60_000;
    const left = Math.ceil((start + within - now) / 1_000);
    say(`${linkOf(inputs)}: waiting for up to ${left} s, because ${why}`);
  };
}

function linkOf({ source, target }: Pick<TargetInputs, "source" | "target">): string {
  return `link ${source} → ${target}`;
}
