internal import Agent
internal import Glibc

ProcessProtection.forbidMemoryReading()
if let status = RPCReplacement.run(CommandLine.arguments) { exit(status) }
let tool = Tool(
    connect: { home throws(AgentError) in try DaemonItemService(homeArgument: home) },
    surroundings: .process
)
exit(tool.run(Terminal.arguments))
