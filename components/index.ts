/** The npm package exports these (docs/guides/package.md). */
export { Mesh } from "./mesh.ts";
export type { LinkSummary, Lists } from "./mirrors.ts";
export type * from "./mesh-args.ts";
