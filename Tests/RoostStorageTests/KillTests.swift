import CrashWorkload
import Foundation
import RoostJSON
import RoostModel
import RoostSQLite
import RoostTestKit
import Testing

/// A process that is killed at any step of a write loses nothing that it was told is written, and leaves no
/// half of anything.
struct KillTests {
    static let tool: URL = {
        let places = CommandLine.arguments + [Bundle.main.executablePath ?? "", Bundle.main.bundlePath]
        let folders = places.flatMap { path -> [URL] in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return [folder, folder.deletingLastPathComponent()]
        }
        let tools = folders.map { $0.appendingPathComponent("storage-worker") }
        guard let tool = tools.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            preconditionFailure("storage-worker lies beside the tests")
        }
        return tool
    }()

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
        process.executableURL = tool
        process.arguments = [mode, backend, folder.path, "\(point)", half ? "half" : "before"]
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try startOneAtATime(process)
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

    /// How many points of each kind are tried; all of them with `ROOST_KILL_POINTS=all`.
    static var limit: Int {
        let asked = ProcessInfo.processInfo.environment["ROOST_KILL_POINTS"] ?? ""
        return asked == "all" ? .max : Int(asked) ?? 100
    }

    @Test(arguments: CrashWorkload.Backend.allCases, [false, true])
    func `nothing acknowledged is lost`(backend: CrashWorkload.Backend, half: Bool) async throws {
        let expected = try await CrashWorkload.expected()
        let whole = try TemporaryFolder()
        defer { whole.remove() }
        let steps = try Self.run(backend, whole.url, point: 0, half: half).steps
        try #require(steps > 50)
        let stride = max(1, Double(steps) / Double(Self.limit))
        var (tried, killed, lost) = (0, 0, 0)
        for number in 0..<min(steps, Self.limit) {
            let point = min(steps, Int(Double(number) * stride) + 1)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let outcome = try Self.run(backend, folder.url, point: point, half: half)
            tried += 1
            killed += outcome.wasKilled ? 1 : 0
            let what =
                "\(backend) killed \(half ? "inside" : "before") step \(point) of \(steps) after \(outcome.acknowledged) writes"
            do {
                let store = try await CrashWorkload.open(backend, in: folder.url)
                let found = try await StorageContents(store)
                let allowed = expected[
                    outcome.acknowledged...min(outcome.acknowledged + 1, expected.count - 1)]
                if !allowed.contains(found) { lost += 1 }
                #expect(
                    allowed.contains(found),
                    "\(what): revision \(found.revision) with \(found.entries.count) entries")
                // It is a store like any other: what comes next is written and found.
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
            "\(backend): \(tried) points \(half ? "inside writes" : "before steps") of \(steps), \(killed) killed, lost: \(lost)"
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
