const hour = 60 * 60 * 1000;

/**
 * The number of the period that `now` lies in, where an issuer made in one period is replaced in
 * the next: each lasts as long as an issuer may be used before it is to be renewed, so whenever it
 * was made, `renewBeforeDays` are left when it is replaced. It depends on nothing but the clock,
 * because the provider's own renewal needs a refresh that plain `pulumi up` does not do (pulumi-tls
 * #39), and because a program does not know its own state.
 */
export function renewalPeriod(
  { issuerValidityDays, renewBeforeDays }: RenewalSettings,
  now: Date,
): number {
  const length = (issuerValidityDays - renewBeforeDays) * 24 * hour;
  return Math.floor(now.getTime() / length);
}

export interface RenewalSettings {
  readonly issuerValidityDays: number;
  /** Less than `issuerValidityDays`. */
  readonly renewBeforeDays: number;
}
