import Foundation
import TestSupport
import Testing

/// Tests of several processes that watch and change one store.
@Suite(.temporaryFolders) struct WatchProcessTests {
    /// The time after which a test gives up, in seconds. A change is usually found within half a second, but
    /// on a busy machine it can take minutes.
    private static let patience = 1200.0
    private let cli = CommandLineDriver()

    /// An entry that `roost list --json` prints.
    private struct Listed: Decodable { var content: String }

    private func texts() throws -> [String] {
        let list = try cli.roost("list", "--store=s", "-n", "1000", "--json")
        #expect(list.status == 0, "\(list.error)")
        return try JSONDecoder().decode([Listed].self, from: Data(list.output.utf8)).map(\.content).sorted()
    }

    @Test(arguments: ["sqlite", "json"])
    func `two watches and other commands lose and repeat nothing`(provider: String) async throws {
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        #expect(try cli.roost("folder", "add", "notes", "--store=s").status == 0)
        let watches = try (0..<2).map { _ in try cli.start(["sync", "--watch", "--store=s"]) }
        for watch in watches { try watch.input.close() }
        var expected: [String] = []
        for number in 0..<12 {
            let text = "note \(number) of a kestrel"
            try Data(text.utf8).write(to: notes.appendingPathComponent("\(number).md"))
            expected.append(text)
            switch number % 4 {
            case 0:
                #expect(try cli.roost("add", "added \(number)", "--store=s").status == 0)
                expected.append("added \(number)")
            case 1: #expect(try cli.roost("sync", "--store=s").status == 0)
            case 2:
                try Data("changed \(number)".utf8).write(to: notes.appendingPathComponent("\(number).md"))
                expected[expected.count - 1] = "changed \(number)"
            default: #expect(try cli.roost("query", "kestrel", "--store=s").status <= 1)
            }
        }
        expected.sort()
        let end = Date() + Self.patience
        while try texts() != expected, Date() < end { try await Task.sleep(for: .milliseconds(200)) }
        #expect(try texts() == expected)
        for watch in watches {
            #expect(watch.process.isRunning)
            kill(watch.process.processIdentifier, SIGINT)
            #expect(try watch.outcome().status == 130)
        }
        #expect(try texts() == expected)
        #expect(try cli.roost("doctor", "--store=s").status == 0)
    }
}
