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
            let isJSON = Everyday.asksForJSON(Terminal.arguments)
            Terminal().write(
                isSecurity
                    ? Array("security: \(sentence)\n".utf8)
                    : Everyday.remark(sentence, isJSON: isJSON),
                to: .error
            )
        }
        MacFolder.make(service, homeArgument: home)
        return service
    },
    surroundings: Terminal(),
    isSecurity: isSecurity
)
exit(tool.run(Terminal.arguments))
