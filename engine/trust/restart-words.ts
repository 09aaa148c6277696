const restart =
  "restart every meshed workload on every cluster, the gateways last (kubectl rollout restart)";

/** What a user does after a step. */
export const byHand = {
  bundle: `. Then ${restart}, and run again`,
  issuers: `Then wait five minutes, after which the old ones issue no more certificates, ${restart}, and run again; or run again a day later`,
  pods: "Restart",
  again: " and run again",
};

/** With `trust.restart`, runs do it. */
export const byRuns: typeof byHand = {
  bundle: ", and then restarts every meshed workload",
  issuers:
    "A run five minutes later, after which the old ones issue no more certificates, restarts every meshed workload; or run again a day later",
  pods: "Runs restart",
  again: ", except those that they name",
};
