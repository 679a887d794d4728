import KSEveryday
import Testing

/// Help, completion and the manual page name the options that the commands for people take.
struct OptionHelpTests {
    @Test(arguments: EverydayCommand.table.map(\.name))
    func `the help of a command lists the options that it takes`(name: String) throws {
        let command = try #require(EverydayCommand.named(name))
        let listed = Set(command.options.map(\.name))
        #expect(listed == Set(command.accepted.flags + command.accepted.valued))
        for option in command.options {
            #expect(option.takesValue == command.accepted.valued.contains(option.name), "\(option)")
        }
        for (letter, long) in command.accepted.letters {
            #expect(command.help.contains("    -\(letter), --\(long)"))
        }
        for line in command.help.split(separator: "\n").dropFirst() {
            #expect(line.count <= 80, "\(line)")
        }
    }
}
