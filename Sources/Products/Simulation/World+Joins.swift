internal import KSRecords
internal import KSSealing

// Devices that join the account while others use it, before and after the server goes back.

extension World {
    /// Sometimes a new device joins the account, by a login.
    func joinSomebody() throws {
        guard joinRandom.chance(settings.joinProbability), !joiners.isEmpty, !server.isEmpty,
            // A server that lost an entry would take another one in its place, which forks the
            // circle: devices then say so, and wait for their users.
            try server.circleVersion(for: devices[0].member) == circles.newest.newest.version
        else { return }
        try joinNewDevice()
    }

    /// A new device joins the account, by a login.
    ///
    /// - Returns: false if the server has something newer than the account's circle.
    @discardableResult
    func joinNewDevice(named name: String? = nil) throws -> Bool {
        let identity = joiners.removeLast()
        let credentials = try fixture.credentials(number: passwordNumber)
        let change = try CircleAuthoring.addDevice(
            DeviceApplication(
                of: identity,
                name: name ?? "device \(devices.count + 1)",
                to: circles.newest
            ),
            to: circles.newest,
            keyRing: circles.newestRing,
            by: .credentials(credentials),
            random: bytes
        )
        guard try server.extendCircle(by: change, from: credentials.memberID) else { return false }
        try circles.append(change, openedBy: identity)
        try addDevice(
            identity,
            named: name,
            joined: .init(
                circle: circles.newest,
                keyRing: circles.newestRing,
                change: change
            )
        )
        try spoilJoin(of: devices[devices.count - 1])
        trace("\(devices[devices.count - 1].name) joins the account")
        tell("join device\(devices.count)")
        happenings[.joins] += 1
        if happenings[.restores] + happenings[.emptyServers] + happenings[.moves] > 0 {
            happenings[.joinsAfterLosses] += 1
        }
        tellOthers(ofCircle: circles.newest.newest.version, on: servers.count - 1)
        return true
    }

    /// Counts what the server loses while `body` puts it back: devices that have joined, and that
    /// it has removed deleted records.
    func noteLosses(_ body: () throws -> Void) throws {
        let members = Set(fixture.joiners.map(\.memberID)).filter { server.knows($0) }
        let horizon = try server.removalHorizon()
        try body()
        happenings[.lostJoins] += members.count { !server.knows($0) }
        if try server.removalHorizon() < horizon { happenings[.lostRemovals] += 1 }
    }
}
