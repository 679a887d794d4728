internal import Digests
internal import Logging
internal import Records
internal import Store
internal import Wire

/// All that the routes work with.
struct SyncService: Sendable {
    struct Options: Sendable {
        var registration = Registration.open
        var heartbeat = Duration.seconds(15)
        /// Challenges, sessions and changes of circles, for each address.
        var proofBurst = 300
        var proofsPerSecond = 5.0
        /// Sign-ups, for each address.
        var signupBurst = 30
        var signupsPerSecond = 0.2
    }

    let store: StoreShell
    let hub = EventHub()
    let options: Options
    let origins: Origins
    let invitations: Invitations
    let challenges: Challenges
    let tokens: SessionTokens
    let proofs: ProofChecker
    let gate: SessionGate
    let proofLimiter: RateLimiter
    let signupLimiter: RateLimiter

    init(
        store: any Store,
        options: Options,
        origins: Origins,
        invitations: Invitations,
        random: any RandomSource,
        clock: WallClock
    ) throws(StoreError) {
        let secret = ServerSecret(key: try store.serverSecret())
        self.store = StoreShell(store: store)
        self.options = options
        self.origins = origins
        self.invitations = invitations
        challenges = Challenges(secret: secret, random: random, clock: clock)
        tokens = SessionTokens(secret: secret, clock: clock)
        proofs = ProofChecker(store: self.store, challenges: challenges, origins: origins)
        gate = SessionGate(store: self.store, tokens: tokens)
        proofLimiter = RateLimiter(
            burst: options.proofBurst,
            perSecond: options.proofsPerSecond,
            clock: clock
        )
        signupLimiter = RateLimiter(
            burst: options.signupBurst,
            perSecond: options.signupsPerSecond,
            clock: clock
        )
    }
}

extension RateLimiter {
    /// - Throws: ``Problem`` `tooManyRequests`.
    func admit(_ context: SyncRequestContext) throws {
        if let seconds = secondsToWait(address: context.rateLimitedAddress) {
            throw Problem(.tooManyRequests, retryAfterSeconds: seconds)
        }
    }
}
