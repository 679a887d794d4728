internal import KSDigests
internal import NIOCore
internal import KSRecords
internal import KSStore
internal import KSWire

/// What the routes need: store, session gate, limits and clocks.
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
        /// How long a body may take, beside the time of its bytes at the lowest rate: a slow link
        /// can send a whole batch, and nobody reserves memory for long without sending.
        var uploadTimeMax = Duration.seconds(30)
        var uploadBytesPerSecondMin = 4 << 10
        /// Memory for all bodies together, apart for requests with and without a session, so that
        /// strangers never block members.
        var membersUploadBytesMax = 64 << 20
        var strangersUploadBytesMax = 16 << 20
        var connections = ConnectionLimits()
    }

    let store: StoreShell
    let hub = EventHub()
    let answers = AnswersUnderWay()
    let connections: OpenConnections
    let options: Options
    let origins: Origins
    let invitations: Invitations
    let challenges: Challenges
    let tokens: SessionTokens
    let proofs: ProofChecker
    let gate: SessionGate
    let membersUploads: Uploads
    let strangersUploads: Uploads
    let proofLimiter: RateLimiter
    let signupLimiter: RateLimiter

    init(
        store: any Store,
        secret: ServerSecret,
        options: Options,
        origins: Origins,
        invitations: Invitations,
        random: any RandomSource,
        clock: WallClock
    ) {
        self.store = StoreShell(store: store)
        self.options = options
        connections = OpenConnections(limits: options.connections)
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
        gate = SessionGate(store: self.store, tokens: tokens)
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
    /// - Throws: ``Problem`` `tooManyRequests`.
    func admit(_ context: SyncRequestContext) throws {
        let address = context.channel.remoteAddress?.counted ?? "local"
        if let seconds = secondsToWait(address: address) {
            throw Problem(.tooManyRequests, retryAfterSeconds: seconds)
        }
    }
}
