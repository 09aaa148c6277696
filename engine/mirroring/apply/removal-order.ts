import { keyOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { HttpRoute } from "../../kubernetes/objects/route-resource.ts";
import { type Decision, type Deletion, isWanted } from "../../model/decision.ts";
import { metaOf, rootOf } from "../../model/live-mirrors.ts";
import { sendsTo, stillSends } from "../../model/route.ts";

/**
 * The order of removal (docs/decisions/0008): nothing is removed while its successor isn't in place, or while something
 * of ours that is live still points to it. This class records what a run has done so far.
 */
export class RemovalOrder {
  readonly #roots: ReadonlyMap<ObjectKey, ObjectKey>;
  /** These mirrors still point to what they pointed to before the run. */
  readonly #unchanged = new Set<ObjectKey>();
  /** A headless mirror is in place only with all mirrors of its pods. */
  readonly #notInPlace = new Set<ObjectKey>();
  readonly #routes: HttpRoute[] = [];

  constructor(decisions: readonly Decision[]) {
    this.#roots = new Map(
      decisions.filter(isWanted).map(({ key, wanted }) => [key, rootOf(key, wanted)]),
    );
  }

  /** Records a mirror that could not be written, or that stays. */
  unchanged(key: ObjectKey): void {
    this.#unchanged.add(key);
    this.differs(key);
  }

  /** Records a mirror that the API server has stored otherwise than it was sent. */
  differs(key: ObjectKey): void {
    this.#notInPlace.add(this.#roots.get(key) ?? key);
  }

  /** Records a route that could not be changed. */
  unchangedRoute(route: HttpRoute): void {
    this.#routes.push(route);
  }

  /** The run reports the failure of a headless mirror once, and not again for the mirror of each pod. */
  waitsForRoot({ key, live }: Deletion): boolean {
    return this.#unchanged.has(rootOf(key, metaOf(live)));
  }

  /** Returns why a mirror has to stay; undefined if it may go. */
  whyNot(deletion: Deletion): string | undefined {
    const { successor } = deletion;
    if (successor !== undefined && this.#notInPlace.has(this.#roots.get(successor) ?? successor))
      return "the mirror that replaces it is not in place";
    if (this.waitsForRoot(deletion)) return "its headless mirror may still name it";
    const route = this.#routes.find((each) => sendsTo(each, deletion));
    return route && stillSends(keyOf(route));
  }
}
