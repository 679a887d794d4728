package import KSDigests
package import KSMerging
internal import NIOCore
internal import KSRecords
package import KSStore
package import KSWire

/// What the routes need: store, session gate, limits and clocks.
package struct SyncService: Sendable {
    package struct Options: Sendable {
        package var registration = Registration.open
        /// How many bytes an account may hold; nil for no limit.
        package var quotaBytes: UInt64?
        package var heartbeat = Duration.seconds(15)
        /// Challenges, sessions and changes of circles, for each address.
        package var proofBurst = 300
        package var proofsPerSecond = 5.0
        /// Sign-ups, for each address.
        package var signupBurst = 30
        package var signupsPerSecond = 0.2
        /// How long a body may take, beside the time of its bytes at the lowest rate: a slow link
        /// can send a whole batch, and nobody reserves memory for long without sending.
        package var uploadTimeMax = Duration.seconds(30)
        package var uploadBytesPerSecondMin = 4 << 10
        /// Memory for all bodies together, apart for requests with and without a session, so that
        /// strangers never block members.
        package var membersUploadBytesMax = 64 << 20
        package var strangersUploadBytesMax = 16 << 20
        package var connections = ConnectionLimits()
        package var trustedProxies = TrustedProxies()
        /// What one account may ask for in a minute, with all its devices.
        package var accountRequestsPerMinute = 6_000
        package var accountBytesPerMinute = 600 << 20
        /// How many entries an account's devices may add to its circle in a day; what the password
        /// adds and what revokes does not count.
        package var circleChangesPerDay = 50
        package var removal = RemovalRules()
        /// Other than this program's only in tests.
        package var spoken = SpokenProtocol.own

        package init() {}
    }

    package let store: StoreShell
    package let hub: EventHub
    let answers = AnswersUnderWay()
    package let metrics: ServerMetrics
    package let health: ServerHealth
    let connections: OpenConnections
    let options: Options
    package let origins: Origins
    let invitations: Invitations
    package let challenges: Challenges
    let tokens: SessionTokens
    let proofs: ProofChecker
    let gate: SessionGate
    package let membersUploads: Uploads
    package let strangersUploads: Uploads
    let proofLimiter: RateLimiter
    let signupLimiter: RateLimiter
    let accountLimiter: RateLimiter
    let accountByteLimiter: RateLimiter
    let circleLimiter: RateLimiter

    package init(
        store: any Store,
        secret: ServerSecret,
        options: Options,
        origins: Origins,
        invitations: Invitations,
        metrics: ServerMetrics = ServerMetrics(),
        health: ServerHealth = ServerHealth(),
        random: any RandomSource,
        clock: WallClock
    ) {
        let hub = EventHub()
        self.hub = hub
        self.metrics = metrics
        self.health = health
        let observer = StoreObserver(metrics: metrics, health: health)
        self.store = StoreShell(store: store, observer: observer) { request, answer in
            let standing = Standing(cursor: answer.cursor, circleVersion: answer.circleVersion)
            hub.publish(standing, by: request.member, to: request.account)
        }
        self.options = options
        connections = OpenConnections(
            limits: options.connections,
            proxies: options.trustedProxies
        )
        self.origins = origins
        self.invitations = invitations
        challenges = Challenges(secret: secret, random: random, clock: clock)
        tokens = SessionTokens(secret: secret, clock: clock)
        proofs = ProofChecker(
            store: self.store,
            challenges: challenges,
            origins: origins,
            clock: ContinuousClock()
        )
        accountLimiter = RateLimiter(perMinute: options.accountRequestsPerMinute, clock: clock)
        accountByteLimiter = RateLimiter(perMinute: options.accountBytesPerMinute, clock: clock)
        circleLimiter = RateLimiter(
            burst: options.circleChangesPerDay,
            perSecond: Double(options.circleChangesPerDay) / 86_400,
            clock: clock
        )
        gate = SessionGate(store: self.store, tokens: tokens, limiter: accountLimiter)
        membersUploads = Uploads(bytesMax: options.membersUploadBytesMax, options)
        strangersUploads = Uploads(bytesMax: options.strangersUploadBytesMax, options)
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
    /// `address`: what acts; `cost`: how much of what it may do in all.
    /// - Throws: ``Problem`` `tooManyRequests`.
    func admit(_ address: String, cost: Double = 1) throws {
        if let seconds = secondsToWait(address: address, cost: cost) {
            throw Problem(.tooManyRequests, retryAfterSeconds: seconds)
        }
    }
}
