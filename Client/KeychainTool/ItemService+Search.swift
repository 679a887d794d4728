internal import KSAgent
internal import KSSecurityNames

extension ItemService {
    /// The same for a search, to which a keychain that is not there is one that has nothing: as
    /// `security` tells it.
    func search<Call: AgentCall>(_ call: Call) throws(AgentError) -> Call.Answer {
        do throws(AgentError) {
            return try self.call(call)
        } catch .failed(let failure) where failure.code == SecStatus.errSecNoSuchKeychain {
            throw .failed(AgentFailure(code: SecStatus.errSecItemNotFound, status: ""))
        }
    }
}
