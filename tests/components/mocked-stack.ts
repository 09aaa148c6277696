import * as pulumi from "@pulumi/pulumi";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { tlsOutputs } from "./mocked-tls.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** A resource as the program registered it. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  /** The inputs hold secrets in their envelopes. */
  readonly inputs: Inputs;
  /** Empty for the default provider. */
  readonly provider: string;
  readonly parent: string;
  /** The `type name` of each resource that it waits for, because of an input or an option. */
  readonly dependencies: readonly string[];
  readonly ignoreChanges: readonly string[];
  readonly retainOnDelete: boolean;
  readonly deleteBeforeReplace: boolean;
  readonly replaceOnChanges: readonly string[];
  readonly replacementTrigger: unknown;
}

export interface MockedStack<T> {
  readonly result: T;
  readonly resources: readonly Registered[];
  /** The messages of the program begin with `info: `, `warning: ` or `error: `. */
  readonly said: readonly string[];
  /** Set if the program fails once the engine has done everything. */
  readonly exitCode: typeof process.exitCode;
  /** The `type name` of every custom resource, in the order of registration. */
  readonly order: readonly string[];
  readonly resource: (type: string, name: string) => Registered;
}

/** The outputs that providers add to the inputs, by `type name`. They stay from one run to the next. */
export type State = Map<string, Inputs>;

/** Runs a program against Pulumi's mocks until all that it registers is registered. */
export async function mockedStack<T>(
  program: () => T | Promise<T>,
  state: State = new Map(),
  preview = false,
): Promise<MockedStack<T>> {
  const resources: Registered[] = [];
  const requests = new Map<string, RegisterResourceRequest>();
  const mocks: pulumi.runtime.Mocks = {
    newResource({ type, name, inputs, provider = "" }) {
      const all = inputs as Inputs;
      const id = `${type} ${name}`;
      const request = requests.get(id);
      if (request !== undefined)
        resources.push({ type, name, inputs: all, ...optionsIn(request, provider) });
      const outputs = state.get(id) ?? tlsOutputs(type, unwrapped(all));
      state.set(id, outputs);
      // The engine has no id for what a preview would create.
      const isNew = preview && !type.startsWith("pulumi:providers:");
      return { id: isNew ? undefined : `${name}-id`, state: { ...all, ...outputs } };
    },
    call: () => ({}),
  };
  await pulumi.runtime.setMocks(mocks, "mesh", "test", preview, "organization");
  listen(requests);
  const said: string[] = [];
  const { log } = pulumi;
  const { info, warn, error } = log;
  const record = (severity: string) => (message: string) => {
    said.push(`${severity}: ${message}`);
    return Promise.resolve();
  };
  Object.assign(log, {
    info: record("info"),
    warn: record("warning"),
    error: record("error"),
  });
  const { stackTraceLimit } = Error;
  const before = process.exitCode;
  // Pulumi keeps the stack of every promise, which takes half of the time of these tests.
  Error.stackTraceLimit = 0;
  try {
    const result = await program();
    await pulumi.runtime.disconnect();
    const resource = (type: string, name: string): Registered => {
      const found = resources.find((each) => each.type === type && each.name === name);
      if (found === undefined) throw new Error(`there is no ${type} ${name}`);
      return found;
    };
    const order = resources.filter(isCustom).map(({ type, name }) => `${type} ${name}`);
    const { exitCode } = process;
    return { result, resources, said, exitCode, order, resource };
  } finally {
    Object.assign(log, { info, warn, error });
    process.exitCode = before;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export function isCustom({ type }: Registered): boolean {
  return !type.startsWith("linkerd-multicluster:");
}

/** Keeps the requests, because mocks don't get the options of a resource. */
function listen(requests: Map<string, RegisterResourceRequest>): void {
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

function optionsIn(request: RegisterResourceRequest, provider: string) {
  return {
    provider: provider.split("::").at(-2) ?? "",
    parent: shortName(request.getParent()),
    dependencies: request.getDependenciesList().map(shortName).toSorted(),
    ignoreChanges: request.getIgnorechangesList(),
    retainOnDelete: request.getRetainondelete() ?? false,
    deleteBeforeReplace: request.getDeletebeforereplace(),
    replaceOnChanges: request.getReplaceonchangesList(),
    replacementTrigger: request.getReplacementTrigger()?.toJavaScript(),
  };
}

/** Returns `type name` of a URN, without the types of its parents. */
function shortName(urn: string): string {
  const [, , types = "", ...name] = urn.split("::");
  return urn === "" ? "" : `${types.split("$").at(-1) ?? ""} ${name.join("::")}`;
}

/** Returns undefined if the output is unknown. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

export function isSecretOutput(output: unknown): Promise<boolean> {
  return (output as { readonly isSecret: Promise<boolean> }).isSecret;
}

export function isSecret(value: unknown): boolean {
  return pulumi.runtime.isRpcSecret(value);
}

/** Returns a value with the content of each secret, at any depth. */
export function unwrapped<T>(value: T): T {
  return walked(value, (secret) => unwrapped(secret)) as T;
}

/** Returns a value with `[secret]` in the place of each secret, as everybody may read it. */
export function redacted(value: unknown): unknown {
  return walked(value, () => "[secret]");
}

function walked(value: unknown, ofSecret: (content: unknown) => unknown): unknown {
  if (isSecret(value)) return ofSecret(pulumi.runtime.unwrapRpcSecret(value));
  if (Array.isArray(value)) return value.map((each: unknown) => walked(each, ofSecret));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, walked(each, ofSecret)] as const,
  );
  return Object.fromEntries(entries);
}
