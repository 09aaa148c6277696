import * as pulumi from "@pulumi/pulumi";
import type { MeshConfig } from "./mesh.ts";
import { namespace } from "./mistakes.ts";
import { parseConfig } from "./parse.ts";

/** These are text whatever they look like: a namespace may be called `1234`. */
const texts: ReadonlySet<string> = new Set(["manage", "linkerdNamespace", "multiclusterNamespace"]);

/** The config of the current stack. Throws a RunError, which has no stack trace, with every mistake. */
export function stackConfig(config = new pulumi.Config(namespace)): MeshConfig {
  const parsed = parseConfig(rawConfig(config));
  if ("config" in parsed) return parsed.config;
  const error = new pulumi.RunError(
    ["The stack config needs a change:", ...parsed.mistakes].join("\n  "),
  );
  // Pulumi does not print the stack and yet formats it, on which Node 22 spends half a minute and
  // gigabytes: util.inspect with colors loops on paths like `node_modules/@pulumi/resource.ts`.
  error.stack = "";
  throw error;
}

/** Whether the stack holds a key encrypted, in whole or in part; the SDK knows and does not tell. */
export function isSecret(key: string): boolean {
  const secrets: unknown = JSON.parse(process.env["PULUMI_CONFIG_SECRET_KEYS"] ?? "[]");
  return Array.isArray(secrets) && secrets.includes(`${namespace}:${key}`);
}

/** Every key that the stack sets in this program's namespace, the unknown ones too. */
export function rawConfig(config: pulumi.Config): Record<string, unknown> {
  const prefix = `${config.name}:`;
  const keys = Object.keys(pulumi.runtime.allConfig())
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
  return Object.fromEntries(keys.map((key) => [key, valueOf(config, key)]));
}

/**
 * Pulumi hands every value over as text: a map or list as JSON, a word like `mesh` as it is, and a
 * key that is left empty as no text at all.
 */
function valueOf(config: pulumi.Config, key: string): unknown {
  const text = config.get(key) ?? "";
  if (text === "") return null;
  try {
    return texts.has(key) ? text : config.getObject(key);
  } catch {
    return text;
  }
}
