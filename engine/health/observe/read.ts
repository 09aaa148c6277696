import { KubernetesError } from "../../kubernetes/errors.ts";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import type { ObjectName, Resource } from "../../kubernetes/resources.ts";
import type { Read } from "../view.ts";

/** Whatever goes wrong is told in its place, so that it hides nothing else. */
export async function read<T>(work: () => Promise<T>): Promise<Read<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

export async function getIfThere<T>(
  kubernetes: Kubernetes,
  resource: Resource<T>,
  at: ObjectName,
): Promise<T | undefined> {
  return ifFound(kubernetes.get(resource, at));
}

export async function ifFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}
