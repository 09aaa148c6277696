import { codeOf } from "@linkerd-multicluster/engine/base";
import { open, stat, writeFile } from "node:fs/promises";

import { stringify } from "yaml";

export interface AuditedRequest {
  readonly verb: string;
  /** `services/status` has a subresource; paths such as `/version` have no resource. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  readonly code: number;
  readonly received: number;
  readonly answered: number;
}

/** It begins at an offset, or with the log. */
export interface AuditLog {
  readonly auditLog: string;
  readonly offset?: number;
}

/** The audit log leaves out these users, whose many requests only keep the cluster running. */
export const UNRECORDED = {
  bed: "linkerd-multicluster-bed",
  controllerManager: "system:kube-controller-manager",
  scheduler: "system:kube-scheduler",
  kwok: "kwok",
  node: "linkerd-multicluster-node",
} as const;

export async function writeAuditPolicy(file: string): Promise<void> {
  const policy = {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
      { level: "None", users: ["system:apiserver", ...Object.values(UNRECORDED)] },
      { level: "Metadata" },
    ],
  };
  await writeFile(file, stringify(policy));
}

/** Returns the log from now on, with the requests that are answered later. */
export async function mark({ auditLog }: AuditLog): Promise<AuditLog> {
  try {
    return { auditLog, offset: (await stat(auditLog)).size };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { auditLog };
    throw error;
  }
}

/** Returns the requests that the cluster answered, in order, of user agents with this part. A watch counts when it begins. */
export async function requestsOf(
  { auditLog, offset = 0 }: AuditLog,
  userAgent = "",
): Promise<AuditedRequest[]> {
  const seen = new Set<string>();
  const requests: AuditedRequest[] = [];
  for (const line of (await textFrom(auditLog, offset)).split("\n")) {
    if (line === "") continue;
    const event = JSON.parse(line) as AuditEvent;
    // A watch has two events, when it begins and when it ends.
    if (seen.has(event.auditID)) continue;
    seen.add(event.auditID);
    if (event.userAgent?.includes(userAgent) ?? userAgent === "") requests.push(requestOf(event));
  }
  return requests;
}

/** Tells whether a request changes what is stored. A review is created only to ask a question. */
export function isWriteRequest({ verb, resource }: AuditedRequest): boolean {
  return !["get", "list", "watch"].includes(verb) && !resource.endsWith("accessreviews");
}

interface AuditEvent {
  readonly auditID: string;
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

function requestOf({ verb, userAgent = "", ...event }: AuditEvent): AuditedRequest {
  const { resource = "", subresource, namespace = "", name = "" } = event.objectRef ?? {};
  return {
    verb,
    namespace,
    name,
    userAgent,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    code: event.responseStatus?.code ?? 0,
    received: Date.parse(event.requestReceivedTimestamp),
    answered: Date.parse(event.stageTimestamp),
  };
}

async function textFrom(file: string, offset: number): Promise<string> {
  const log = await open(file);
  try {
    const length = Math.max(0, (await log.stat()).size - offset);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(length), 0, length, offset);
    const text = buffer.toString("utf8", 0, bytesRead);
    // The last line may still be being written.
    return text.slice(0, text.lastIndexOf("\n") + 1);
  } finally {
    await log.close();
  }
}
