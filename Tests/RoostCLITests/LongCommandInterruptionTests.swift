import Foundation
import TestSupport
import Testing

/// Tests of Ctrl-C while a command works on a large store.
@Suite(.temporaryFolders) struct LongCommandInterruptionTests {
    /// The time after which a command is interrupted, in seconds.
    private static let delay = 0.3
    /// The time in which a command must end. The goal is a second, but a busy machine needs longer.
    private static let limit = Duration.seconds(3)
    /// The commands, none of which ends before the interruption on usual machines.
    private static let commands = [
        ["recluster"], ["export", "entries", "--with-embeddings", "-o", "entries.jsonl"],
        ["export", "entries", "--format", "csv", "-o", "entries.csv"],
        ["export", "clusters", "-o", "clusters.json"],
        ["compact"], ["doctor"], ["duplicates"], ["index", "build"], ["backup", "create"],
        ["migrate", "--to", "json", "moved"], ["copy", "store", "copied"],
        ["reembed", "--model", "tiny-bert", "--no-copy"], ["list", "-n", "20000", "--json"],
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

    @Test func `Ctrl-C ends each long command within a second and damages nothing`() throws {
        try prepare()
        var interrupted = 0
        for command in Self.commands {
            let store = command[0] == "copy" ? [] : ["--store=store"]
            let running = try cli.start(command + store)
            try running.input.close()
            Thread.sleep(forTimeInterval: Self.delay)
            let time = try ContinuousClock().measure {
                kill(running.process.processIdentifier, SIGINT)
                let outcome = try running.outcome()
                #expect([0, 130].contains(outcome.status), "\(command): \(outcome.error)")
                if outcome.status == 130 { interrupted += 1 }
            }
            #expect(time < Self.limit, "\(command)")
        }
        #expect(interrupted > Self.commands.count / 2)
        #expect(try cli.roost("doctor", "--store=store").status == 0)
        let count = try cli.roost("count", "--store=store")
        #expect(count.output.contains("20000") || count.output.contains("20,000"), "\(count)")
        // A file that is written in part is not left behind.
        let rest = try FileManager.default.contentsOfDirectory(atPath: cli.home.path)
            .filter { $0.hasPrefix(".") && $0.contains("entries") }
        #expect(rest.isEmpty, "\(rest)")
    }
}
