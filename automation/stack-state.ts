import type { Inputs } from "@linkerd-multicluster/engine/mirroring";

const type = "pulumi-nodejs:dynamic/linkerd:Mirrors";
const trustType = "linkerd-multicluster:index:TrustRoot";

/**
 * Every `linkerd:Mirrors` in what `pulumi stack export` prints: this program's own, so that their
 * shape is what the program of the last run has given them.
 */
export function mirrorsIn(exported: string): { readonly urn: string; readonly inputs: Inputs }[] {
  const { deployment } = JSON.parse(exported) as Exported;
  return (deployment?.resources ?? []).flatMap((resource) => {
    // One that is to be deleted has a successor.
    if (resource.type !== type || resource.delete === true) return [];
    const { __provider: _, ...inputs } = resource.inputs ?? {};
    return isWhole(inputs) ? [{ urn: resource.urn ?? "", inputs }] : [];
  });
}

/** ISO 8601 by what expires; empty where the stack has nothing to do with trust. */
export function expiriesIn(exported: string): Readonly<Record<string, string>> {
  const { deployment } = JSON.parse(exported) as Exported;
  const found = (deployment?.resources ?? []).flatMap(({ type: of, outputs }) => {
    const dates = of === trustType ? outputs?.["expiries"] : undefined;
    return typeof dates === "object" && dates !== null ? Object.entries(dates) : [];
  });
  return Object.fromEntries(
    found.filter((each): each is [string, string] => typeof each[1] === "string"),
  );
}

interface Exported {
  readonly deployment?: { readonly resources?: readonly Resource[] };
}

interface Resource {
  readonly type?: string;
  readonly urn?: string;
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** A resource whose first run has failed early may have less. */
function isWhole(inputs: Readonly<Record<string, unknown>>): inputs is Inputs & typeof inputs {
  const { source, stack, clusters, links } = inputs;
  return (
    typeof source === "string" &&
    typeof stack === "string" &&
    typeof clusters === "object" &&
    Array.isArray(links)
  );
}
