import { deepEqual, equal, match } from "node:assert/strict";
import {
  checkIdentity,
  type IdentityInputs,
  type SourceLinks,
} from "../../../engine/credentials/cluster-identity.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";

const west: IdentityInputs = { cluster: "west", context: "k3d-west" };

async function checked(olds: Partial<IdentityInputs>, news: Partial<IdentityInputs>) {
  const unasked = () => Promise.reject(new Error("it has no links"));
  const { inputs, notes } = await checkIdentity(olds, { ...west, ...news }, unasked);
  return { notes, uid: inputs.uid, refused: inputs.refused };
}

describe("a cluster's identity", () => {
  const recreated =
    "cluster west was recreated (its kube-system has UID u2, and had u1), and the stack's state still lists what the old one had: run pulumi up --refresh";
  const another =
    "context k3d-west of cluster west leads to another cluster than before (its kube-system has UID u2, and had u1): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to u2 and run again";
  const [u1, u2] = [{ uid: "u1" }, { uid: "u2" }];

  /** Tests which UID a run remembers, after what the last one did and with what this one has read. */
  function accepts(
    title: string,
    olds: Partial<IdentityInputs>,
    news: Partial<IdentityInputs>,
    uid: string | undefined,
    ...notes: string[]
  ) {
    it(title, async () => {
      deepEqual(await checked(olds, news), { notes, uid, refused: undefined });
    });
  }
  accepts("is learned in the first run", {}, u1, "u1");
  accepts("stays for the same cluster", u1, u1, "u1");
  accepts("stays while the cluster is unreachable", u1, {}, "u1");
  accepts("is unknown if the cluster was never reachable", {}, {}, undefined);
  accepts("may be the UID of the config", {}, { uid: "u1", expected: "u1" }, "u1");
  const renamed = { uid: "u2", expected: "u2" };
  accepts("changes if the config names the new UID", u1, renamed, "u2", recreated);
  accepts("is that of the config while unreachable", u1, { expected: "u2" }, "u2");

  function refuses(
    title: string,
    olds: Partial<IdentityInputs>,
    news: Partial<IdentityInputs>,
    uid?: string,
  ) {
    it(`is refused ${title}, without failing the check`, async () => {
      deepEqual(await checked(olds, news), { notes: [], uid, refused: another });
    });
  }
  const expecting = { uid: "u2", expected: "u1" };
  refuses("if it changed", u1, u2, "u1");
  refuses("if it isn't that of the config", u2, expecting, "u2");
  refuses("in the first run if it isn't that of the config", {}, expecting);
  refuses("again in the next run", { ...u1, refused: another }, u2, "u1");

  it("is refused if another name leads to it, unless config or state knows it by its UID", async () => {
    const refused = async (olds: Partial<IdentityInputs>, news: Partial<IdentityInputs>) =>
      (await checked(olds, { ...news, twin: "it is east" })).refused;
    equal(await refused({}, u1), "it is east");
    equal(await refused(u1, u2), another);
    equal(await refused(u1, u1), undefined);
    equal(await refused({}, { uid: "u1", expected: "u1" }), undefined);
  });

  const links = {
    access: { context: "k3d-west" },
    linkerdNamespace: "linkerd",
    multiclusterNamespace: "linkerd-multicluster",
    stack: "acme/mesh/dev",
  };
  /** Checks a cluster with a Link for north and none for east. */
  async function withLink(
    olds: Partial<IdentityInputs>,
    uid: string | undefined = "u1",
    { creator = "cli", adopted = {} }: { creator?: string; adopted?: SourceLinks["adopted"] } = {},
  ) {
    const metadata = { name: "north", annotations: { "linkerd.io/created-by": creator } };
    const find = (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(name === "north" ? { metadata } : undefined);
    const cluster = { find } as unknown as Pick<Kubernetes, "find">;
    const wanted = { ...links, targets: ["east", "north"], adopted };
    const news = { ...west, links: wanted, ...(uid !== "unread" && { uid }) };
    const { inputs } = await checkIdentity(olds, news, () => Promise.resolve(cluster));
    return [inputs.refused, inputs.links?.targets, inputs.uid];
  }

  it("is refused for a new link whose Link belongs to somebody else, with what to do", async () => {
    const why =
      "Link west/linkerd-multicluster/north already exists, created by cli and not by this stack: to manage it here, remove the controller that runs for it and set adopt: true on the link; its mirrors stay and are adopted as well";
    const other =
      "Link west/linkerd-multicluster/north already exists, created by a stack of this program: if it is this one, whose state was lost, or one that is gone, set adopt: true on the link; otherwise remove the link from that stack first";
    const known = (...targets: string[]) => ({ ...west, ...u1, links: { ...links, targets } });
    const both = [undefined, ["east", "north"], "u1"];
    const creator = "linkerd-multicluster/0.1.0";
    deepEqual(await withLink({}), [why, [], "u1"]);
    deepEqual(await withLink(known("east"), "u1", { creator }), [other, ["east"], "u1"]);
    deepEqual(await withLink(known("north")), both);
    deepEqual(await withLink({}, "u1", { adopted: { "west/north": [] } }), both);
    // An earlier version has remembered no links.
    deepEqual(await withLink({ ...west, ...u1 }), both);
    deepEqual(await withLink(known("east"), "unread"), [undefined, ["east"], "u1"]);
    deepEqual(await withLink(known("east"), "u2"), [another, ["east"], "u1"]);
  });

  /** Checks a cluster for links to and from north, with a Link and an account that name this owner. */
  async function withOwner(
    owner: string | undefined,
    olds: Partial<IdentityInputs> = {},
    adopted: SourceLinks["adopted"] = { "west/north": [], "north/west": [] },
  ) {
    const annotations = owner === undefined ? {} : { "linkerd-multicluster/link": owner };
    const find = () => Promise.resolve({ metadata: { annotations } });
    const cluster = { find } as unknown as Pick<Kubernetes, "find">;
    const wanted = { ...links, targets: ["north"], sources: ["north"], adopted };
    const news = { ...west, ...u1, links: wanted };
    const { inputs } = await checkIdentity(olds, news, () => Promise.resolve(cluster));
    return [inputs.refused, inputs.links?.targets, inputs.links?.sources];
  }

  it("is refused under another name for objects of its own stack, adopted or not", async () => {
    const advice = (owner: string, link: string) =>
      `belongs to this stack's link ${owner}, and link ${link} would use it: a cluster with links can't be renamed, since removing the old name would delete what the new one uses. Use the name in ${owner} again; or remove that link, run pulumi up, and then add ${link}`;
    const object = (kind: string, name: string) => `${kind} west/linkerd-multicluster/${name} `;
    const link = object("Link", "north");
    const account = object("ServiceAccount", "linkerd-multicluster-access-north");
    const accepted = [undefined, ["north"], ["north"]];
    deepEqual(await withOwner("acme/mesh/dev occident/north"), [
      `${link}${advice("occident/north", "west/north")}. ${account}${advice("occident/north", "north/west")}`,
      [],
      [],
    ]);
    const both = { ...west, ...u1, links: { ...links, targets: ["north"], sources: ["north"] } };
    deepEqual(await withOwner("acme/mesh/dev occident/north", both), accepted);
    // An earlier version has remembered no sources.
    const earlier = { ...west, ...u1, links: { ...links, targets: ["north"] } };
    deepEqual(await withOwner("acme/mesh/dev occident/north", earlier), accepted);
  });

  const mirrored = "Link west/linkerd-multicluster/north already exists, created by";
  const account =
    "ServiceAccount west/linkerd-multicluster/linkerd-multicluster-access-north already exists, created by";

  it("is refused for an account of somebody else, though another of its links adopts", async () => {
    // Pulumi updates whatever exists in a cluster with such a link.
    const [refused] = await withOwner(undefined, {}, { "west/north": [] });
    match(String(refused), new RegExp(`^${account} somebody else`));
    deepEqual(await withOwner(undefined), [undefined, ["north"], ["north"]]);
  });

  it("is refused for objects that another stack marks, unless the link names that stack", async () => {
    const prod = "acme/mesh/prod";
    const advice = `stack ${prod}: remove the link from that stack first; or, if that stack is gone, set adopt: true and adoptFrom: [${prod}] on it here`;
    const [refused] = await withOwner(`${prod} north/west`);
    equal(refused, `${mirrored} ${advice}. ${account} ${advice}`);
    const gone = { "west/north": [prod], "north/west": [prod] };
    deepEqual(await withOwner(`${prod} x/y`, {}, gone), [undefined, ["north"], ["north"]]);
  });
});
