import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "@linkerd-multicluster/engine/base";
import type { MeshConfig } from "./mesh.ts";
import { contentOf, type ReadText } from "./read/mesh-file.ts";
import { project } from "./read/mistakes.ts";
import { parseTexts } from "./parse.ts";
import { valueAt } from "./read/read.ts";

/** Paths start at the project's folder, because the engine starts the program there. */
const readText: ReadText = (path) => readFileSync(path, "utf8");

/** Returns the config of the current stack. @throws RunError with every mistake, and without a stack trace */
export function stackConfig(): MeshConfig {
  try {
    return parseTexts(pulumi.runtime.allConfig(), "The stack config", {
      isPlainKey: plainIssuerKeys(secretKeys(), readText),
      readText,
    });
  } catch (error) {
    const failure = new pulumi.RunError(messageOf(error));
    // Pulumi formats the stack although it doesn't print it, which costs Node 22 half a minute and
    // gigabytes: util.inspect with colors loops on paths like `node_modules/@pulumi/resource.ts`.
    failure.stack = "";
    throw failure;
  }
}

/** Tells whether the config encrypts a key, in whole or in part. The SDK knows this but exports no function for it. */
export function isSecret(key: string): boolean {
  return secretKeys().includes(`${project}:${key}`);
}

function secretKeys(): readonly string[] {
  const secrets: unknown = JSON.parse(process.env["PULUMI_CONFIG_SECRET_KEYS"] ?? "[]");
  return Array.isArray(secrets) ? secrets.map(String) : [];
}

/**
 * Tells of each cluster whether the stack config contains its issuer's key as plain text. Pulumi only says which top-level
 * keys contain a secret. Which of their values are plain is in the stack file, whose other places Pulumi doesn't tell.
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
