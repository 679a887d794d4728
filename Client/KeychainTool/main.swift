internal import KSAgent
internal import Glibc

ProcessProtection.forbidMemoryReading()
ProcessProtection.crashSilently()
if let status = RPCReplacement.run(CommandLine.arguments) { exit(status) }
let tool = Tool(
    connect: { home throws(AgentError) in
        let service = try DaemonItemService(homeArgument: home) { sentence in
            Terminal().write(Failure(sentence).message, to: .error)
        }
        MacFolder.make(service, homeArgument: home)
        return service
    },
    surroundings: Terminal()
)
exit(tool.run(Terminal.arguments))
