import { type Check, flag, map } from "./checks.ts";
import type { ObjectMeta } from "./objects.ts";

export type Question = Readonly<Record<"group" | "resource" | "verb", string>> &
  Readonly<Partial<Record<"subresource" | "name" | "namespace", string>>>;

/** The API server does not store a review, so it has no metadata. */
export interface AccessReview {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec: { readonly resourceAttributes: Question };
  readonly status?: { readonly allowed: boolean };
}

export const accessReview = map({
  status: map({ allowed: flag }, ["allowed"]),
}) as Check<AccessReview>;
