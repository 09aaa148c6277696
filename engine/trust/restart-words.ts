const restart =
  "restart every meshed workload on every cluster, the gateways last (kubectl rollout restart)";

/** Parts of sentences about the restarts after a step, which are left to the user. */
export const byHand = {
  bundle: `. Then ${restart}, and run again`,
  issuers: `Then wait five minutes, after which the old ones issue no more certificates, ${restart}, and run again; or run again a day later`,
  pods: "Restart",
  again: " and run again",
};

/** The same parts where runs restart workloads themselves (`trust.restart`). */
export const byRuns: typeof byHand = {
  bundle: ", and then restarts every meshed workload",
  issuers:
    "A run five minutes later, after which the old ones issue no more certificates, restarts every meshed workload; or run again a day later",
  pods: "Runs restart",
  again: ", except those that they name",
};
