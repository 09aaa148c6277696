import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "./mesh.ts";
import { namespace } from "./mistakes.ts";
import { parseTexts } from "./parse.ts";
import { plainIssuerKeys } from "./plain-keys.ts";

/** The config of the current stack. Throws a RunError, which has no stack trace, with every mistake. */
export function stackConfig(): MeshConfig {
  const parsed = parseTexts(pulumi.runtime.allConfig(), "The stack config", {
    circumstances: {
      now: new Date(),
      isPlainKey: plainIssuerKeys(secretKeys(), stackFile()),
    },
    // The engine starts the program in the project's folder.
    readText: (path) => readFileSync(path, "utf8"),
  });
  if ("config" in parsed) return parsed.config;
  const error = new pulumi.RunError(parsed.problem);
  // Pulumi does not print the stack and yet formats it, on which Node 22 spends half a minute and
  // gigabytes: util.inspect with colors loops on paths like `node_modules/@pulumi/resource.ts`.
  error.stack = "";
  throw error;
}

/**
 * Whether the stack holds a top-level key of this program's config encrypted, in whole or in part;
 * the SDK knows and does not tell.
 */
export function isSecret(key: string): boolean {
  return secretKeys().includes(`${namespace}:${key}`);
}

function secretKeys(): readonly string[] {
  const secrets: unknown = JSON.parse(process.env["PULUMI_CONFIG_SECRET_KEYS"] ?? "[]");
  return Array.isArray(secrets) ? secrets.map(String) : [];
}

/** Where it is unless somebody has put it elsewhere; Pulumi does not tell a program. */
function stackFile(): string | undefined {
  try {
    return readFileSync(`Pulumi.${pulumi.getStack()}.yaml`, "utf8");
  } catch {
    return undefined;
  }
}
