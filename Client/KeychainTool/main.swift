internal import KSAgent
internal import KSEveryday
internal import Glibc

ProcessProtection.forbidMemoryReading()
ProcessProtection.crashSilently()
let isSecurity = CommandLine.arguments.first?.hasSuffix("security") ?? false
if !isSecurity, let status = RPCReplacement.run(CommandLine.arguments) { exit(status) }
let tool = Tool(
    connect: { home throws(AgentError) in
        let service = try DaemonItemService(homeArgument: home) { sentence in
            let name = isSecurity ? "security" : "keychain"
            Terminal().write(Array("\(name): \(sentence)\n".utf8), to: .error)
        }
        MacFolder.make(service, homeArgument: home)
        return service
    },
    surroundings: Terminal(),
    isSecurity: isSecurity
)
exit(tool.run(Terminal.arguments))
