import Foundation
import Roost
import RoostFiles
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
            // The process is killed early in some rounds, late in others, and in some only after it has finished.
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

/// Tests that a process that is stopped while it writes does not block readers.
@Suite(.temporaryFolders) struct StoppedWriterTests {
    let commands = CommandLineDriver()
    var lock: URL { commands.home.appendingPathComponent("s/lock") }

    /// Starts a command and stops it while it holds the writers' lock. The result is `nil` if the command
    /// ended too early.
    private func stopped(_ arguments: [String]) throws -> CommandLineDriver.Running? {
        let running = try commands.start(arguments)
        try running.input.close()
        while running.process.isRunning {
            if try isLocked() {
                kill(running.process.processIdentifier, SIGSTOP)
                // The signal takes effect asynchronously. A command that still holds the lock after the check
                // has been repeated for a while is stopped; otherwise it continues.
                var checks = 0
                while checks < 100, try isLocked() {
                    usleep(2000)
                    checks += 1
                }
                if checks == 100 { return running }
                kill(running.process.processIdentifier, SIGCONT)
            }
        }
        _ = try running.outcome()
        return nil
    }

    private func isLocked() throws -> Bool { try FileLock.shared(lock) == nil }

    @Test(arguments: ["sqlite", "json"])
    func `readers do not wait for a writer that is stopped`(provider: String) throws {
        #expect(try commands.roost("init", "s", "--provider", provider, "--model", "lexical").status == 0)
        #expect(try commands.roost("add", "the swift is back", "--tag", "bird", "--store", "s").status == 0)
        var writer: CommandLineDriver.Running?
        // Most attempts stop the command while it holds the lock.
        for _ in 0..<200 where writer == nil {
            writer = try stopped(["doctor", "--compact", "--store", "s"])
        }
        let running = try #require(writer, "the command could not be stopped while it held the lock")
        defer {
            kill(running.process.processIdentifier, SIGKILL)
            running.process.waitUntilExit()
        }
        for arguments in [
            ["query", "swift", "--tag", "bird"], ["list"], ["export", "clusters"], ["doctor"],
        ] {
            let reader = try commands.start(arguments + ["--store", "s"])
            try reader.input.close()
            let outcome = try reader.outcome()
            #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
            #expect(!outcome.error.contains("locked"), "\(arguments): \(outcome.error)")
            #expect(try isLocked(), "the writer released the lock")
        }
    }
}

/// Tests of Ctrl-C while a command works on a large store.
@Suite(.temporaryFolders) struct LongCommandInterruptionTests {
    /// The time after which a command is interrupted, in seconds.
    private static let delay = 0.3
    /// The time in which a command must end. The goal is a second, but a busy machine needs longer.
    private static let limit = Duration.seconds(30)
    /// The commands, most of which take seconds.
    private static let commands = [
        ["recluster"], ["export", "entries", "--with-embeddings", "-o", "entries.jsonl"],
        ["export", "entries", "--format", "csv", "-o", "entries.csv"],
        ["export", "clusters", "-o", "clusters.json"],
        ["doctor", "--compact"], ["doctor"], ["similar", "--duplicates"], ["index"], ["backup", "create"],
        ["copy", "store", "copied"], ["model", "use", "tiny-bert", "--no-backup"],
        ["list", "-n", "20000", "--json"],
    ]

    private let cli = CommandLineDriver()

    private func prepare() throws {
        let tiny = Fixtures.folder.appendingPathComponent("Models/tiny-bert").path
        #expect(try cli.roost("model", "add", tiny).status == 0)
        #expect(try cli.roost("init", "--model", "lexical", "store").status == 0)
        let lines = (0..<20_000).map { "the swift number \($0) went south over roof \($0 % 97)" }
        let taken = try cli.roost("ingest", "--store=store", "-q", "-", input: lines.joined(separator: "\n"))
        #expect(taken.status == 0, "\(taken)")
        #expect(try cli.roost("recluster", "--store=store", "-q").status == 0)
    }

    @Test func `Ctrl-C ends each long command and leaves a store that is intact`() throws {
        try prepare()
        var interrupted: Set<String> = []
        for command in Self.commands {
            let arguments = command + (command[0] == "copy" ? [] : ["--store=store"])
            let running = try cli.start(arguments)
            try running.input.close()
            Thread.sleep(forTimeInterval: Self.delay)
            let time = try ContinuousClock().measure {
                kill(running.process.processIdentifier, SIGINT)
                let outcome = try running.outcome()
                // On a busy machine, the signal can arrive before the program handles it.
                guard running.process.terminationReason == .exit else { return }
                #expect([0, 130].contains(outcome.status), "\(command): \(outcome.error)")
                if outcome.status == 130 { interrupted.insert(command[0]) }
            }
            #expect(time < Self.limit, "\(command)")
            guard command[0] == "copy", interrupted.contains("copy") else { continue }
            // The same command continues.
            let again = try cli.roost(arguments)
            #expect(again.status == 0, "\(again)")
            try expectIntact("copied")
        }
        #expect(interrupted.count > 1, "\(interrupted)")
        try expectIntact("store")
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: cli.home.path))
        let known: Set = [
            ".local", ".cache", ".config", "store", "copied", "entries.jsonl", "entries.csv",
            "clusters.json",
        ]
        #expect(names.isSubset(of: known), "\(names.subtracting(known))")
    }

    private func expectIntact(_ store: String) throws {
        let doctor = try cli.roost("doctor", "--store", store)
        #expect(doctor.status == 0, "\(store): \(doctor)")
        #expect(try cli.roost("list", "--count", "--store", store).output == "20000\n")
    }
}
