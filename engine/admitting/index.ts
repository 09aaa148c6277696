export type { GateArgs, GateInputs, Phase } from "./args.ts";
export { isGateDue } from "./run.ts";
