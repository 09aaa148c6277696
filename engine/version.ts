import manifest from "./package.json" with { type: "json" };

/**
 * What this program calls itself where it leaves its name: `linkerd-multicluster/<version>`, as
 * user agent and in the annotation `linkerd.io/created-by`. The version is the engine package's. The
 * part before the slash is what `managedFields` shows as the manager of our fields.
 */
export const programVersion = `linkerd-multicluster/${manifest.version}`;
