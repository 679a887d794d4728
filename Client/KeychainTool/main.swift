internal import Agent
internal import Glibc

ProcessProtection.forbidMemoryReading()
let tool = Tool(
    connect: { home throws(AgentError) in try DaemonItemService(homeArgument: home) },
    surroundings: .process
)
exit(tool.run(Terminal.arguments))
