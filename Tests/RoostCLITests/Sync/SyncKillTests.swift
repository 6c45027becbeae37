import Foundation
import TestSupport
import Testing

/// Tests of syncs that are killed at various times. `ROOST_SYNC_KILLS` sets their number for each
/// provider.
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

    private func write(_ text: String, to path: String) throws {
        let url = cli.home.appendingPathComponent("notes/" + path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Creates a synced folder, and changes it in all ways.
    private func prepare(_ provider: String) throws {
        let (manager, notes) = (FileManager.default, cli.home.appendingPathComponent("notes"))
        for number in 0..<240 {
            try write("note \(number) about \(number % 7) swifts", to: "d\(number % 4)/\(number).md")
        }
        #expect(try cli.roost("init", "--store", "s", "--provider", provider).status == 0)
        #expect(try cli.roost("folder", "add", "notes", "--store", "s", "--tag", "t").status == 0)
        let first = try cli.roost("sync", "--store", "s")
        #expect(first.status == 0 && first.output.hasPrefix("240 new, "), "\(first)")
        try manager.moveItem(
            at: notes.appendingPathComponent("d0"), to: notes.appendingPathComponent("renamed"))
        for number in 0..<240 {
            let path = "d\(number % 4)/\(number).md"
            switch number % 12 {
            case 1, 5: try write("note \(number), edited", to: path)
            case 2: try manager.removeItem(at: notes.appendingPathComponent(path))
            case 3: try write("new note \(number)", to: "new/\(number).md")
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
