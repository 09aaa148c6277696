import manifest from "./package.json" with { type: "json" };

/**
 * The name under which this program appears: `linkerd-multicluster/<version>`, as user agent and in the annotation
 * `linkerd.io/created-by`. The version is the engine package's. `managedFields` shows the part before the slash as
 * the manager.
 */
export const programVersion = `linkerd-multicluster/${manifest.version}`;
