import manifest from "../package.json" with { type: "json" };

/**
 * The program appears under this name as user agent and in the annotation `linkerd.io/created-by`. `managedFields`
 * shows the part before the slash.
 */
export const programVersion = `linkerd-multicluster/${manifest.version}`;
