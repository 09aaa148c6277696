/** Sends requests to mirrors of a mesh, and asserts their results. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { execa } from "execa";

import type { Answer } from "../../../cli/verify/answers.ts";
import { until } from "../../bed/bed.ts";
import { environment } from "../../bed/pulumi.ts";
import { repository } from "../../bed/stack.ts";
import type { Mesh } from "./mesh.ts";
import { assertNoneFailed, podsOf, type Stream, tallyOf } from "./stream.ts";
import { namespace } from "./workloads.ts";

export function authorityOf(service: string): string {
  return `${service}.${namespace}.svc.cluster.local`;
}

export function podAuthority(pod: string): string {
  return `${pod}.nginx-svc-west.shop.svc.cluster.local`;
}

/** Lets clients ask a Service from now on, and waits for an answer. */
export async function ask(
  stream: Stream,
  service: string,
  authority = authorityOf(service),
): Promise<void> {
  await stream.add({ name: service, authority });
  await stream.answered(service);
}

export function askPod(stream: Stream, pod: string): Promise<void> {
  return ask(stream, `${pod}-west`, podAuthority(pod));
}

/** Waits until pods of all clusters have answered. */
export async function answeredByAll(stream: Stream): Promise<void> {
  const since = Date.now();
  await until("answers from all clusters", [], async () => {
    const pods = podsOf(await stream.since(since), "api-federated");
    return new Set(pods.map((pod) => pod.replace(/\/.*/, ""))).size === 3 || undefined;
  });
}

/** Asserts that the visitor's requests are refused while the client's are answered. */
export async function assertRefused({ stream, visitors }: Mesh, target: string): Promise<void> {
  const since = Date.now();
  await visitors.failed(target);
  const refused = tallyOf(await visitors.next(10), target);
  assert.deepEqual(refused.pods, new Set());
  for (const { problem = "" } of refused.failed) assert.match(problem, /^403 /);
  assertNoneFailed(await stream.since(since));
  await visitors.remove(target);
}

/** Sends a request through each link of east. */
export async function verify(
  { bed }: Mesh,
  ...words: readonly string[]
): Promise<readonly Answer[]> {
  const program = join(repository, "cli/linkerd-clusters.mjs");
  const asked = ["verify", "--image", "bed.local/curl:1", "--output", "json", ...words];
  const { stdout, stderr } = await execa(process.execPath, [program, ...asked], {
    cwd: join(bed.folder, "stacks", "traffic"),
    env: environment(bed),
    reject: false,
  });
  assert.match(stdout, /^\{/, stderr);
  return (JSON.parse(stdout) as { readonly answers: readonly Answer[] }).answers;
}
