import Foundation
import TestSupport
import Testing

/// Tests of syncs that are killed at various times. `ROOST_SYNC_KILLS` sets their number for each provider.
@Suite(.temporaryFolders) struct SyncKillTests {
    private static let kills =
        ProcessInfo.processInfo.environment["ROOST_SYNC_KILLS"].flatMap { Int($0) } ?? 4
    let cli = CommandLineDriver()

    /// An entry without its dates, which depend on the time of the sync.
    private struct Exported: Decodable, Hashable {
        var id: String
        var content: String
        var source: String?
        var tags: [String]?
    }

    private func entries(_ store: String) throws -> Set<Exported> {
        let export = try cli.roost("export", "entries", "--store", store)
        #expect(export.status == 0, "\(export.error)")
        return Set(
            try export.output.split(separator: "\n").map {
                try JSONDecoder().decode(Exported.self, from: Data($0.utf8))
            })
    }

    private func prepare(_ provider: String) throws {
        let (manager, notes) = (FileManager.default, cli.home.appendingPathComponent("notes"))
        for number in 0..<240 {
            try cli.write(
                "note \(number) about \(number % 7) swifts", to: "notes/d\(number % 4)/\(number).md")
        }
        #expect(try cli.roost("init", "--store", "s", "--provider", provider).status == 0)
        let first = try cli.roost("ingest", "notes", "--store", "s", "--tag", "t")
        #expect(first.status == 0 && first.output.hasPrefix("240 new, "), "\(first)")
        try manager.moveItem(
            at: notes.appendingPathComponent("d0"), to: notes.appendingPathComponent("renamed"))
        for number in 0..<240 {
            let path = "d\(number % 4)/\(number).md"
            switch number % 12 {
            case 1, 5: try cli.write("note \(number), edited", to: "notes/\(path)")
            case 2: try manager.removeItem(at: notes.appendingPathComponent(path))
            case 3: try cli.write("new note \(number)", to: "notes/new/\(number).md")
            default: break
            }
        }
    }

    @Test(arguments: ["sqlite", "json"])
    func `the sync after a killed one reaches the same state`(provider: String) throws {
        try prepare(provider)
        func copy(_ name: String) throws {
            let target = cli.home.appendingPathComponent(name)
            try? FileManager.default.removeItem(at: target)
            try FileManager.default.copyItem(at: cli.home.appendingPathComponent("s"), to: target)
        }
        try copy("reference")
        let start = Date()
        let reference = try cli.roost("sync", "--store", "reference", "--yes")
        let duration = Date().timeIntervalSince(start)
        #expect(reference.status == 0, "\(reference.error)")
        #expect(
            reference.output.hasPrefix("20 new, 40 updated, 60 moved, 20 removed"), "\(reference.output)")
        let expected = try entries("reference")
        #expect(expected.count == 240)
        for kill in 0..<Self.kills {
            try copy("killed")
            let running = try cli.start(["sync", "--store", "killed", "--yes"])
            try running.input.close()
            Thread.sleep(forTimeInterval: duration * Double(kill + 1) / Double(Self.kills + 1))
            Foundation.kill(running.process.processIdentifier, SIGKILL)
            _ = try running.outcome()
            let next = try cli.roost("sync", "--store", "killed", "--yes")
            #expect(next.status == 0, "kill \(kill): \(next.error)")
            #expect(try entries("killed") == expected, "kill \(kill)")
            let doctor = try cli.roost("doctor", "--store", "killed")
            #expect(doctor.status == 0, "kill \(kill): \(doctor.output)\(doctor.error)")
        }
    }
}

/// Tests of several processes that watch and change one store.
@Suite(.temporaryFolders) struct WatchProcessTests {
    /// The time after which a test gives up, in seconds. A change is usually found within half a second, but
    /// on a busy machine it can take minutes.
    private static let patience = 1200.0
    private let cli = CommandLineDriver()

    /// An entry that `roost list --json` prints.
    private struct Listed: Decodable { var text: String }

    private func texts() throws -> [String] {
        let list = try cli.roost("list", "--store=s", "-n", "1000", "--json")
        #expect(list.status == 0, "\(list.error)")
        return try JSONDecoder().decode([Listed].self, from: Data(list.output.utf8)).map(\.text).sorted()
    }

    @Test(arguments: ["sqlite", "json"])
    func `two watches and other commands lose and repeat nothing`(provider: String) async throws {
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        try Data("a first note".utf8).write(to: notes.appendingPathComponent("first.md"))
        #expect(try cli.roost("ingest", "notes", "--store=s").status == 0)
        let watches = try (0..<2).map { _ in try cli.start(["sync", "--watch", "--store=s"]) }
        for watch in watches { try watch.input.close() }
        var expected = ["a first note"]
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
