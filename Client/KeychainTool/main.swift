internal import Agent
internal import Glibc

ProcessProtection.forbidMemoryReading()
let tool = Tool(
    connect: { home throws(AgentError) in try DaemonItemService(homeArgument: home) },
    askPassword: { prompt throws(NoTerminal) in try Terminal.askPassword(prompt) },
    write: { bytes, stream in Terminal.write(bytes, to: stream) }
)
exit(tool.run(Terminal.arguments))
