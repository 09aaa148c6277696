import * as pulumi from "@pulumi/pulumi";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { tlsOutputs } from "./mocked-tls.ts";

/** A resource as the program registered it. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  /** As they travel, with secrets in their envelopes. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Name of the provider resource; empty: the default provider. */
  readonly provider: string;
  readonly parent: string;
  /** `type name` of what it has to come after, by any input or option. */
  readonly dependencies: readonly string[];
  readonly ignoreChanges: readonly string[];
  readonly retainOnDelete: boolean;
  /** As JSON. */
  readonly replacementTrigger: unknown;
}

export interface MockedStack<T> {
  readonly result: T;
  readonly resources: readonly Registered[];
  /** `warning: ...` and `error: ...`, as the program said them. */
  readonly said: readonly string[];
  /** Every custom resource as `type name`, in the order of registration. */
  readonly order: readonly string[];
  readonly resource: (type: string, name: string) => Registered;
}

/** Outputs of keys and certificates by `type name`: what stays from one run to the next. */
export type State = Map<string, Readonly<Record<string, unknown>>>;

/** Runs a program against Pulumi's mocks until all that it registers is registered. */
export async function mockedStack<T>(
  program: () => T | Promise<T>,
  state: State = new Map(),
  preview = false,
): Promise<MockedStack<T>> {
  const resources: Registered[] = [];
  const requests = new Map<string, RegisterResourceRequest>();
  await pulumi.runtime.setMocks(
    mocks(resources, requests, state),
    "mesh",
    "test",
    preview,
    "organization",
  );
  listen(requests);
  const said: string[] = [];
  const log = intercepted(said);
  const { stackTraceLimit } = Error;
  // Pulumi keeps the stack of every promise, which takes half of the time of these tests.
  Error.stackTraceLimit = 0;
  try {
    const result = await program();
    await pulumi.runtime.disconnect();
    const custom = resources.filter(({ type }) => !type.startsWith("linkerd-multicluster:"));
    const find = (type: string, name: string): Registered => {
      const found = resources.find((each) => each.type === type && each.name === name);
      if (found === undefined) throw new Error(`there is no ${type} ${name}`);
      return found;
    };
    const order = custom.map(({ type, name }) => `${type} ${name}`);
    return { result, resources, said, order, resource: find };
  } finally {
    log.restore();
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What an output comes to; undefined if it is unknown. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

export function isSecretOutput(output: unknown): Promise<boolean> {
  return (output as { readonly isSecret: Promise<boolean> }).isSecret;
}

/** Mocks are not told of a resource's options, which the request for it holds. */
export function listen(requests: Map<string, RegisterResourceRequest>): void {
  interface Monitor {
    registerResource: (request: RegisterResourceRequest, ...rest: readonly unknown[]) => unknown;
  }
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request, ...rest) => {
    requests.set(`${request.getType()} ${request.getName()}`, request);
    return register(request, ...rest);
  };
}

function mocks(
  resources: Registered[],
  requests: ReadonlyMap<string, RegisterResourceRequest>,
  state: State,
): pulumi.runtime.Mocks {
  return {
    newResource({ type, name, inputs, provider = "" }) {
      const all = inputs as Readonly<Record<string, unknown>>;
      const request = requests.get(`${type} ${name}`);
      if (request !== undefined)
        resources.push({
          ...{ type, name, inputs: all },
          provider: provider.split("::").at(-2) ?? "",
          parent: shortName(request.getParent()),
          dependencies: request.getDependenciesList().map(shortName).toSorted(),
          ignoreChanges: request.getIgnorechangesList(),
          retainOnDelete: request.getRetainondelete() ?? false,
          replacementTrigger: request.getReplacementTrigger()?.toJavaScript(),
        });
      const outputs = state.get(`${type} ${name}`) ?? tlsOutputs(type, unwrapped(all));
      state.set(`${type} ${name}`, outputs);
      return { id: `${name}-id`, state: { ...all, ...outputs } };
    },
    call: () => ({}),
  };
}

const { log } = pulumi;

/** Messages of the program, which mocks have nobody to hand to. */
function intercepted(said: string[]) {
  const { engine } = { engine: log };
  const { warn, error } = engine;
  const record =
    (severity: string) =>
    (message: string): Promise<void> => {
      said.push(`${severity}: ${message}`);
      return Promise.resolve();
    };
  Object.assign(engine, { warn: record("warning"), error: record("error") });
  return {
    restore: () => {
      Object.assign(engine, { warn, error });
    },
  };
}

const secretSignature = "4dabf18193072939515e22adb298388d";

export function isSecret(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && secretSignature in value;
}

/** A value with all secrets out of their envelopes, at any depth. */
export function unwrapped<T>(value: T): T {
  return walked(value, (secret) => unwrapped(secret)) as T;
}

/** The same with `[secret]` in the place of each: what everybody may read. */
export function redacted(value: unknown): unknown {
  return walked(value, () => "[secret]");
}

function walked(value: unknown, ofSecret: (content: unknown) => unknown): unknown {
  if (isSecret(value)) return ofSecret(value.value);
  if (Array.isArray(value)) return value.map((each: unknown) => walked(each, ofSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, walked(each, ofSecret)] as const,
  );
  return Object.fromEntries(entries);
}

/** `type name` of a URN, without the types of its parents. */
function shortName(urn: string): string {
  const [, , types = "", ...name] = urn.split("::");
  return urn === "" ? "" : `${types.split("$").at(-1) ?? ""} ${name.join("::")}`;
}
