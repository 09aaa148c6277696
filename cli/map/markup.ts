import { printable } from "@linkerd-multicluster/engine/kubernetes";

/** This is a class, so that no value read from JSON can pass for HTML or XML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Fills a template. Every value is escaped unless it is markup itself, whatever its type promises: somebody else
 * may have written the facts.
 */
export function markup(parts: readonly string[], ...values: readonly unknown[]): Markup {
  return new Markup(String.raw({ raw: parts }, ...values.map(written)));
}

function written(value: unknown): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(written).join("\n");
  return printable(String(value)).replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
