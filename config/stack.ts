import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "./mesh.ts";
import { contentOf, type ReadText } from "./mesh-file.ts";
import { project } from "./mistakes.ts";
import { parseTexts } from "./parse.ts";
import { valueAt } from "./read.ts";

/** The engine starts the program in the project's folder. */
const readText: ReadText = (path) => readFileSync(path, "utf8");

/** The config of the current stack. Throws a RunError, which has no stack trace, with every mistake. */
export function stackConfig(): MeshConfig {
  try {
    return parseTexts(pulumi.runtime.allConfig(), "The stack config", {
      isPlainKey: plainIssuerKeys(secretKeys(), readText),
      readText,
    });
  } catch (error) {
    const failure = new pulumi.RunError(messageOf(error));
    // Pulumi does not print the stack and yet formats it, on which Node 22 spends half a minute and
    // gigabytes: util.inspect with colors loops on paths like `node_modules/@pulumi/resource.ts`.
    failure.stack = "";
    throw failure;
  }
}

/**
 * Whether the stack holds a top-level key of this program's config encrypted, in whole or in part;
 * the SDK knows and does not tell.
 */
export function isSecret(key: string): boolean {
  return secretKeys().includes(`${project}:${key}`);
}

function secretKeys(): readonly string[] {
  const secrets: unknown = JSON.parse(process.env["PULUMI_CONFIG_SECRET_KEYS"] ?? "[]");
  return Array.isArray(secrets) ? secrets.map(String) : [];
}

/**
 * Whether the stack holds the key of a cluster's issuer as plain text. Pulumi tells which top-level keys hold a secret
 * somewhere, and no more. Which of their values are plain is in the stack file, where Pulumi puts it: Pulumi does not tell
 * a program of another place.
 *
 * @param secretKeys full keys that are secret, in whole or in part
 */
export function plainIssuerKeys(
  secretKeys: readonly string[],
  readText: ReadText,
): (cluster: string) => boolean {
  const key = `${project}:trust`;
  if (!secretKeys.includes(key)) return () => true;
  const file = contentOf(`Pulumi.${pulumi.getStack()}.yaml`, readText);
  return (cluster) =>
    "value" in file &&
    typeof valueAt(file.value, "config", key, "issuers", cluster, "key") === "string";
}
