import Testing

@testable import RoostCLI

/// `QueryArguments` lists the options of some commands, because reading them from a command takes time.
@Suite struct ListedOptionTests {
    @Test func everyListIsThatOfItsCommand() throws {
        for (path, names) in QueryArguments.listed {
            let command = try #require(
                QueryArguments.commands.first { $0.path.joined(separator: " ") == path })
            let (listed, real) = (QueryArguments(listing: names), QueryArguments(of: command.type))
            #expect(listed.valueOptions == real.valueOptions, "\(path)")
            #expect(listed.flags == real.flags, "\(path)")
        }
    }
}
