import Foundation
import TestSupport
import Testing

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
