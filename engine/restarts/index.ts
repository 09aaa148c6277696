export { type Progress, progressIn } from "./progress.ts";
export {
  carryOutRestarts,
  checkRestarts,
  type RestartArgs,
  type RestartInputs,
} from "./restarts.ts";
