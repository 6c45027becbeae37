import Foundation
import Roost
import TestSupport
import Testing

/// Tests of migrations to another model that are killed at various times.
@Suite(.temporaryFolders) struct ReembeddingKillTests {
    let cli = CommandLineDriver()

    /// The part of the statistics that names the model of the store's vectors. An unfinished migration also
    /// names its target model.
    private struct Stats: Decodable {
        struct Space: Decodable { var model: String }
        var space: Space
    }

    @Test(arguments: ["sqlite", "json"])
    func `a store has vectors of one model whenever a migration is killed`(provider: String) throws {
        let tiny = Fixtures.folder.appendingPathComponent("Models/tiny-bert").path
        #expect(try cli.roost("model", "add", tiny).status == 0)
        #expect(
            try cli.roost("init", "--store", "s", "--provider", provider, "--model", "lexical").status == 0)
        let lines = (0..<3000).map { "swift number \($0) sleeps on the wing above the roof" }
        let taken = try cli.roost("ingest", "--store", "s", "-", input: lines.joined(separator: "\n") + "\n")
        #expect(taken.status == 0, "\(taken.error)")
        let models = ["tiny-bert", "lexical"]
        var isMoved = 0
        for round in 0..<12 {
            let running = try cli.start(
                ["model", "use", "--store", "s", models[isMoved % 2], "--no-backup", "--json"])
            try running.input.close()
            // The process is killed early in some rounds, late in others, and in some only after it has
            // finished.
            Thread.sleep(forTimeInterval: Double(round) * 0.06)
            kill(running.process.processIdentifier, SIGKILL)
            let outcome = try running.outcome()
            // The process may have been killed after the migration and before its report.
            let stats = try cli.roost("status", "--store", "s", "--json")
            #expect(stats.status == 0, "\(stats.error)")
            let document = try JSONDecoder().decode(Stats.self, from: Data(stats.output.utf8))
            let isLexical = document.space.model == "lexical"
            if isLexical == (isMoved % 2 == 1) { isMoved += 1 }
            if outcome.status == 0 { #expect(isLexical == (isMoved % 2 == 0)) }
            let doctor = try cli.roost("doctor", "--store", "s")
            #expect(doctor.status == 0, "round \(round): \(doctor.output)\(doctor.error)")
            let found = try cli.roost("query", "--store", "s", "--json", "--all", "swift number 7")
            #expect(found.status == 0, "round \(round): \(found.error)")
        }
        let last = try cli.roost("model", "use", "--store", "s", models[isMoved % 2], "--json")
        #expect(last.status == 0 && last.output.contains("\"entries\" : 3000"), "\(last)")
        #expect(try cli.roost("doctor", "--store", "s").status == 0)
    }
}
