import ArgumentParser
import Testing

@testable import RoostCLI

/// Tests of the wrapping of help texts.
@Suite struct HelpTextTests {
    private func lines(_ command: any ParsableCommand.Type, width: Int = 80) -> [Substring] {
        HelpText.formatted(RoostCommand.helpMessage(for: command, columns: width), width: width)
            .split(separator: "\n")
    }

    @Test func `A list continues below its texts`() {
        let lines = lines(ImportCommand.self)
        let index = lines.firstIndex { $0.contains("JSON Lines, CSV, TSV      Rows with") } ?? 0
        #expect(index > 0 && lines[index + 1].hasPrefix(String(repeating: " ", count: 28)), "\(lines)")
        #expect(lines.contains { $0.hasPrefix("USAGE: roost import") })
        #expect(lines.contains { $0.contains("--ignore-vectors") })
    }

    @Test func `Lines fit, except examples, which stay whole`() {
        for command in [ImportCommand.self, ExitStatuses.self, Initialize.self] as [any ParsableCommand.Type]
        {
            for width in [40, 80, 200] {
                let overview = lines(command, width: width).prefix { !$0.hasPrefix("USAGE: ") }
                for line in overview where line.count > width {
                    let isExample = line.hasPrefix("  ") && line.contains("roost ")
                    #expect(isExample, "\(width): \(line)")
                }
            }
        }
        let example =
            "  roost init --provider postgres --url postgresql://ann@db.example.org/notes --name team"
        #expect(lines(Initialize.self).contains { $0 == example })
    }

    /// ArgumentParser derives a missing name from the type, which takes a fifth of a millisecond per command
    /// at each start.
    @Test func `Each command states its name`() {
        var commands: [any ParsableCommand.Type] = [RoostCommand.self]
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil, "\(command)")
            commands += command.configuration.subcommands
        }
    }

    @Test func `Other texts are unchanged`() {
        #expect(HelpText.formatted("roost 0.1.0") == "roost 0.1.0")
    }
}
