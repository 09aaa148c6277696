import fc from "fast-check";

export const targets = ["west", "north"] as const;
export type Target = (typeof targets)[number];

export const clusterNames = ["east", ...targets] as const;
export type ClusterName = (typeof clusterNames)[number];

export const namespaces = ["shop", "team"] as const;

/** The first two have the same project and stack in two organizations. */
export const stackNames = ["acme/mesh/prod", "corp/mesh/prod", "acme/other/dev"] as const;

/** Linkerd's controller for a target, or its local service mirror. */
export type Controller = Target | "local";

interface LinkName {
  readonly stack: number;
  readonly target: Target;
}

/** Something that can also happen in the middle of a run. */
export type Incident =
  | {
      readonly do: "service";
      readonly cluster: ClusterName;
      readonly namespace: string;
      readonly labels: Readonly<Record<string, string>> | undefined;
      readonly port: number;
    }
  /** Scales the Deployment, or removes it if `replicas` is undefined. */
  | {
      readonly do: "deployment";
      readonly of: Controller;
      readonly replicas: number | undefined;
    }
  /** The controller looks at all Services, if it runs. */
  | { readonly do: "linkerd"; readonly of: Controller }
  /** Somebody deletes a mirror. */
  | { readonly do: "delete"; readonly which: number }
  | { readonly do: "up" | "destroy"; readonly stack: number };

/** Happens before the run's nth request that reads, or that writes. */
export interface Meanwhile {
  readonly before: "read" | "write";
  readonly number: number;
  readonly incident: Incident;
}

export type Event =
  | Incident
  /** Adds or removes the link. */
  | (LinkName & { readonly do: "link" })
  /** Limits the link to a namespace, or to none if `to` is undefined. */
  | (LinkName & { readonly do: "narrow"; readonly to: string | undefined })
  /** Hands the link over to Linkerd's controller, or back. */
  | (LinkName & { readonly do: "hand over" })
  /** Sets or removes `adoptFrom`. */
  | (LinkName & { readonly do: "adopt"; readonly from: number })
  | { readonly do: "rename"; readonly stack: number }
  /** Imports the state after an earlier run. The first one is empty. */
  | { readonly do: "restore"; readonly stack: number; readonly which: number }
  | { readonly do: "overlap"; readonly stack: number; readonly meanwhile: Meanwhile };

const stack = fc.nat(stackNames.length - 1);
const target = fc.constantFrom(...targets);
const cluster = fc.constantFrom(...clusterNames);
const namespace = fc.constantFrom(...namespaces);
const of = fc.constantFrom<Controller>(...targets, "local");
const exported = { "mirror.linkerd.io/exported": "true" };
const federated = { "mirror.linkerd.io/federated": "member" };
const labels = fc.constantFrom(undefined, {}, exported, federated, { ...exported, ...federated });

const incident: fc.Arbitrary<Incident> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("service" as const),
      cluster,
      namespace,
      labels,
      port: fc.constantFrom(80, 8080),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("deployment" as const),
      of,
      replicas: fc.constantFrom(undefined, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("linkerd" as const), of }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(5) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("up" as const), stack }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("destroy" as const), stack }) },
);

const meanwhile = fc.record({
  before: fc.constantFrom("read" as const, "write" as const),
  number: fc.integer({ min: 1, max: 8 }),
  incident,
});

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 18, arbitrary: incident },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("link" as const), stack, target }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("narrow" as const),
      stack,
      target,
      to: fc.constantFrom(undefined, ...namespaces),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("hand over" as const), stack, target }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("adopt" as const), stack, target, from: stack }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), stack }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("restore" as const), stack, which: fc.nat(9) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("overlap" as const), stack, meanwhile }) },
);

export const histories: fc.Arbitrary<readonly Event[]> = fc.array(event, {
  minLength: 1,
  maxLength: 24,
  size: "max",
});
