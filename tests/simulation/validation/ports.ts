import { type Objection, objection } from "../refusals.ts";
import { isDnsLabel } from "./metadata.ts";

export interface Port {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

const protocols = ["TCP", "UDP", "SCTP"];

export function* portObjections(field: string, ports: readonly Port[]): Generator<Objection> {
  for (const [index, { name = "", port, protocol = "TCP" }] of ports.entries()) {
    const at = `${field}[${index}]`;
    if (name === "" && ports.length > 1) yield objection("FieldValueRequired", `${at}.name`);
    if (name !== "" && !isDnsLabel(name)) yield objection("FieldValueInvalid", `${at}.name`, name);
    if (!isPort(port)) yield objection("FieldValueInvalid", `${at}.port`, port);
    if (!protocols.includes(protocol))
      yield objection("FieldValueNotSupported", `${at}.protocol`, protocol);
  }
}

export function* targetObjections(field: string, ports: readonly Port[]): Generator<Objection> {
  for (const [index, { targetPort = 1 }] of ports.entries()) {
    const isValid = typeof targetPort === "number" ? isPort(targetPort) : isPortName(targetPort);
    if (!isValid) yield objection("FieldValueInvalid", `${field}[${index}].targetPort`, targetPort);
  }
}

/** Of a Service, each port has a name and a number of its own. */
export function* duplicateObjections(field: string, ports: readonly Port[]): Generator<Objection> {
  const seen = new Set<string>();
  for (const [index, { name = "", port, protocol = "TCP" }] of ports.entries()) {
    const number = `${protocol} ${port}`;
    if (seen.has(number)) yield objection("FieldValueDuplicate", `${field}[${index}]`, number);
    if (name !== "" && seen.has(name))
      yield objection("FieldValueDuplicate", `${field}[${index}].name`, name);
    seen.add(number).add(name);
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function isPortName(name: string): boolean {
  return /^(?=.*[a-z])(?!.*--)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(name);
}
