import Foundation
import TestSupport
import Testing

/// Tests of the queries that `roost query` accepts.
@Suite(.temporaryFolders) struct QueryLanguageCommandTests {
    private let cli = CommandLineDriver()

    private func prepare() throws {
        let notes = [
            "planets.md": "# Planets\n\nSaturn has rings, and Jupiter has moons. The planets shine.",
            "moons.md": "# Moons\n\nThe moons of Jupiter are planets of their own.",
        ]
        for (name, text) in notes {
            let file = cli.home.appendingPathComponent("notes/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", "notes").status == 0)
    }

    /// Returns the names of the files that a query finds.
    private func files(_ arguments: String..., input: String = "") throws -> [String] {
        let outcome = try cli.roost(["query", "--all", "--format=paths"] + arguments, input: input)
        #expect([0, 1].contains(outcome.status), "\(arguments): \(outcome.error)")
        return outcome.output.split(separator: "\n").map { String($0.split(separator: "/").last ?? "") }
    }

    @Test func `a word that begins with a hyphen is an operator within quotes and after two hyphens`() throws
    {
        try prepare()
        #expect(try files("planets -saturn") == ["moons.md"])
        #expect(try files("--", "planets", "-saturn") == ["moons.md"])
        let option = try cli.roost("query", "planets", "-saturn")
        #expect(option.status == 64 && option.error.contains("Unknown option '-saturn'"), "\(option)")
        #expect(try files("title:moons") == ["moons.md"])
    }

    @Test func `the query can be read from standard input`() throws {
        try prepare()
        #expect(try files("-", "--mode", "text", input: "saturn\n") == ["planets.md"])
        #expect(try cli.roost("query", "-", input: " \n").status == 65)
    }
}
