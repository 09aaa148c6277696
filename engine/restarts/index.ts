export {
  carryOutRestarts,
  checkRestarts,
  type RestartArgs,
  type RestartInputs,
} from "./restarts.ts";
