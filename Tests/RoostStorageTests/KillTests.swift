import CrashWorkload
import Foundation
import RoostModel
import RoostStorage
import RoostTestKit
import TestSupport
import Testing

/// A process that is killed at any step of a write loses no acknowledged commit, and leaves no partial
/// commit.
@Suite(.temporaryFolders) struct KillTests {
    struct Outcome {
        var acknowledged: Int
        var steps: Int
        var wasKilled: Bool
    }

    static func run(_ backend: CrashWorkload.Backend, _ folder: URL, point: Int, half: Bool) throws -> Outcome
    {
        try run("crash", backend.rawValue, folder, point: point, half: half)
    }

    static func run(_ mode: String, _ backend: String, _ folder: URL, point: Int, half: Bool) throws
        -> Outcome
    {
        let process = Process()
        process.executableURL = StorageWorker.tool
        process.arguments = [mode, backend, folder.path, "\(point)", half ? "half" : "before"]
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try TestTool.start(process)
        let lines = try output.fileHandleForReading.readToEnd() ?? Data()
        let steps = try error.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(
            acknowledged: lines.split(separator: 10).last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
                ?? 0,
            steps: Int(String(decoding: steps, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
                ?? 0,
            wasKilled: process.terminationReason == .uncaughtSignal)
    }

    /// The number of steps at which a process is killed; all steps with `ROOST_KILL_POINTS=all`.
    static var limit: Int {
        let setting = ProcessInfo.processInfo.environment["ROOST_KILL_POINTS"] ?? ""
        return setting == "all" ? .max : Int(setting) ?? 100
    }

    @Test(arguments: CrashWorkload.Backend.allCases, [false, true])
    func `a killed process loses no acknowledged commit`(backend: CrashWorkload.Backend, half: Bool)
        async throws
    {
        let expected = try await CrashWorkload.expected()
        let uninterrupted = try TemporaryFolder()
        let steps = try Self.run(backend, uninterrupted.url, point: 0, half: half).steps
        try #require(steps > 50)
        let stride = max(1, Double(steps) / Double(Self.limit))
        var (tried, killed, lost) = (0, 0, 0)
        for number in 0..<min(steps, Self.limit) {
            let point = min(steps, Int(Double(number) * stride) + 1)
            let folder = try TemporaryFolder()
            let outcome = try Self.run(backend, folder.url, point: point, half: half)
            tried += 1
            killed += outcome.wasKilled ? 1 : 0
            let what =
                "\(backend) killed \(half ? "inside" : "before") step \(point) of \(steps) after "
                + "\(outcome.acknowledged) writes"
            do {
                let store = try await CrashWorkload.open(backend, in: folder.url)
                let found = try await StorageContents(store)
                let allowed = expected[
                    outcome.acknowledged...min(outcome.acknowledged + 1, expected.count - 1)]
                if !allowed.contains(found) { lost += 1 }
                #expect(
                    allowed.contains(found),
                    "\(what): revision \(found.revision) with \(found.entries.count) entries")
                // The store is intact: the next entry is written and found.
                let next = Entry(content: "after the crash", embeddings: [0, 1, 0, 0])
                try await store.saveEntry(next)
                try await store.close()
                let again = try await CrashWorkload.open(backend, in: folder.url)
                #expect(try await again.fetchEntries() == found.entries + [next], "\(what): the next save")
                let damage = try await Self.inspect(backend, folder.url).filter { $0.severity == .damage }
                #expect(damage.isEmpty, "\(what): \(damage.map(\.description))")
                try await again.close()
            } catch {
                lost += 1
                Issue.record("\(what): \(error)")
            }
        }
        print(
            "\(backend): \(tried) points \(half ? "inside writes" : "before steps") of \(steps), "
                + "\(killed) killed, lost: \(lost)"
        )
        #expect(killed > tried * 9 / 10)
    }

    static func inspect(_ backend: CrashWorkload.Backend, _ folder: URL) async throws -> [StorageFinding] {
        switch backend {
        case .json:
            try await LocalStorageProvider.inspect(directory: folder.appendingPathComponent("Storage"))
        case .sqlite: []
        }
    }
}
