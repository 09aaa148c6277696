import { credentialsIn } from "../credentials/kubeconfig.ts";
import { credentialsName, destinationLabel } from "../credentials/objects.ts";
import { accessRules, discoverySelectors, linkUse } from "../credentials/rules.ts";
import type { PolicyRule } from "../credentials/state.ts";
import { questions } from "../credentials/token-check.ts";
import { deniedOf } from "../kubernetes/access-review.ts";
import { fallback, KubernetesError } from "../kubernetes/client/errors.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import type { Question } from "../kubernetes/objects/review-resource.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { selects } from "../model/selection.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Result, resultOf, valueIn } from "../base/result.ts";
import { isBug } from "../base/user-error.ts";
import { accessOf, type CredentialsNeed, type MeshAccess, type Observed } from "./need.ts";
import type { LinkReading, SecretReading, Trial } from "./reading.ts";

/** Tells whether requests over the link go straight to pods, at least for some of its mirrors. */
export function leadsToPods(link: LinkSpec, target: Result<ClusterSnapshot> | undefined): boolean {
  const read = valueIn(target);
  return link.gateway === false || (read !== undefined && discovers(link, read));
}

export function discovers(link: LinkSpec, { services }: ClusterSnapshot): boolean {
  const selectors = discoverySelectors(link);
  return [...services.values()].some(({ metadata }) =>
    selectors.some((selector) => selects(selector, metadata.labels)),
  );
}

/** Linkerd finds the Secret by its label. Nobody is asked to let a run that gives no access see such Secrets. */
export async function hasDestination(
  { clusters: accesses }: Pick<MeshAccess, "clusters">,
  clusters: Pick<Observed, "client" | "mayDo">,
  { source, target }: LinkSpec,
  namespace: string,
): Promise<boolean | undefined> {
  const access = accessOf(accesses, source);
  const question = { verb: "list", group: "", resource: "secrets", namespace };
  if (!(await clusters.mayDo(source, access, question))) return undefined;
  const kubernetes = await clusters.client(source, access);
  const labelSelector = `${destinationLabel}=${target}`;
  return (await kubernetes.list(resources.secrets, { namespace, labelSelector })).length > 0;
}

export async function readCredentials(
  { clusters: accesses }: Pick<MeshAccess, "clusters">,
  clusters: Pick<Observed, "client" | "connect">,
  link: LinkSpec,
  { mirroring, linkerdNamespace, multiclusterNamespace }: CredentialsNeed,
  target: ClusterSnapshot,
): Promise<LinkReading["credentials"]> {
  const access = accesses[link.source];
  if (access === undefined) return undefined;
  const context = {
    target: link.target,
    uid: target.services.get(objectKey("default", "kubernetes"))?.metadata.uid,
    rules: accessRules(linkUse(link, mirroring, discovers(link, target))),
  };
  // Both Secrets usually hold the same kubeconfig.
  const trials = new Map<string, Promise<Trial>>();
  const attempt = (kubeconfig: string): Promise<Trial> => {
    const known = trials.get(kubeconfig) ?? tryCredentials(kubeconfig, context, clusters);
    trials.set(kubeconfig, known);
    return known;
  };
  const kubernetes = await clusters.client(link.source, access);
  const secretIn = (namespace: string) =>
    resultOf(async (): Promise<SecretReading | undefined> => {
      const at = { namespace, name: credentialsName(link.target) };
      const secret = await kubernetes.find(resources.secrets, at);
      if (secret === undefined) return undefined;
      const { type = "", metadata, data } = secret;
      const { labels = {}, annotations = {} } = metadata;
      const kubeconfig = Buffer.from(data?.kubeconfig ?? "", "base64").toString("utf8");
      return { type, labels, annotations, trial: await attempt(kubeconfig) };
    }, link.source);
  const [mirror, destination] = await Promise.all([
    secretIn(multiclusterNamespace),
    secretIn(linkerdNamespace),
  ]);
  return { mirror, destination };
}

interface TrialContext {
  readonly target: string;
  /** The UID is that of the target's Service default/kubernetes. */
  readonly uid: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** The token goes to the server that the kubeconfig names and nowhere else, and no part of it is in the result. */
export async function tryCredentials(
  text: string,
  { target, uid, rules }: TrialContext,
  clusters: Pick<Observed, "connect">,
): Promise<Trial> {
  const found = credentialsIn(text);
  if ("why" in found) return { outcome: "unusable", rule: found.why };
  const { value: credentials } = found;
  const server = new URL(credentials.server).origin;
  let client: Kubernetes | undefined;
  try {
    client = await clusters.connect(credentials, target);
    const at = { namespace: "default", name: "kubernetes" };
    const [service, denied] = await Promise.all([
      client.find(resources.services, at).catch(fallback(undefined, "forbidden")),
      deniedOf(asked(rules), client),
    ]);
    const itsUid = service?.metadata.uid;
    if (uid !== undefined && itsUid !== undefined && itsUid !== uid)
      return { outcome: "elsewhere", server };
    return { outcome: "accepted", server, denied };
  } catch (error) {
    if (isBug(error)) throw error;
    if (!(error instanceof KubernetesError))
      return { outcome: "refused", server, why: "they can't be used to connect" };
    const { kind, detail = "it does not say why" } = error;
    if (kind === "unreachable" && farCodes.has(error.reason ?? ""))
      return { outcome: "outOfReach", server, why: detail };
    const why = kind === "unauthorized" ? "the token is rejected" : detail;
    return { outcome: "refused", server, why };
  } finally {
    await client?.close();
  }
}

/** With these codes, nothing answers at the other end of a connection. */
const farCodes = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"],
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_ABORTED"],
]);

/** Check 4 of Linkerd (linkerd-behaviour.md 8) asks for all verbs on services, and `list` on the rest. */
function asked(rules: readonly PolicyRule[]): Question[] {
  return questions(rules).filter(
    ({ verb, resource }) => verb === "list" || resource === "services",
  );
}
