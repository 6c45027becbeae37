import CrashWorkload
import Foundation
import RoostModel
import RoostStorage
import RoostTestKit
import TestSupport
import Testing

/// A process that is killed at any step of a write loses no acknowledged commit, and leaves no partial commit.
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

    @Test(arguments: CrashWorkload.Backend.allCases, [false, true])
    func `the next process opens a store whose creation was killed`(
        backend: CrashWorkload.Backend, half: Bool
    ) async throws {
        var killed = 0
        for point in 1...30 {
            let folder = try TemporaryFolder()
            killed += try Self.run(backend, folder.url, point: point, half: half).wasKilled ? 1 : 0
            do {
                let store = try await CrashWorkload.open(backend, in: folder.url)
                try await store.saveEntry(Entry(content: "after the crash"))
                try await store.close()
            } catch {
                Issue.record("\(backend) killed \(half ? "inside" : "before") step \(point): \(error)")
            }
        }
        #expect(killed > 25)
    }

    static func inspect(_ backend: CrashWorkload.Backend, _ folder: URL) async throws -> [StorageFinding] {
        switch backend {
        case .json:
            try await LocalStorageProvider.inspect(directory: folder.appendingPathComponent("Storage"))
        case .sqlite: []
        }
    }
}

/// After a file system error, a store throws a documented error and is unchanged.
@Suite(.temporaryFolders) struct FaultTests {
    /// The number of steps at which a failure is injected; all steps with `ROOST_FAULT_POINTS=all`.
    static var limit: Int {
        let setting = ProcessInfo.processInfo.environment["ROOST_FAULT_POINTS"] ?? ""
        return setting == "all" ? .max : Int(setting) ?? 25
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = StorageWorker.tool
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try TestTool.start(process)
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : -1, text)
    }

    @Test(
        arguments: CrashWorkload.Backend.allCases,
        ["io-error", "disk-full", "disk-stays-full", "short-write", "no-permission"])
    func `a failed step leaves the store unchanged`(
        backend: CrashWorkload.Backend, kind: String
    ) throws {
        let folder = try TemporaryFolder()
        let (status, text) = try run(["fault", backend.rawValue, folder.url.path, kind, "\(Self.limit)"])
        print("\(backend), \(kind): \(text.prefix { $0 != "\n" })")
        #expect(status == 0, "\(text.suffix(3000))")
    }

    @Test(arguments: CrashWorkload.Backend.allCases, [300_000, 2_000_000])
    func `a full disk loses no acknowledged entry`(backend: CrashWorkload.Backend, size: Int) throws {
        let folder = try TemporaryFolder()
        let (status, text) = try run(["limited", backend.rawValue, folder.url.path, "\(size)"])
        #expect(status == 0, "exit \(status): \(text.suffix(1000))")
    }
}

/// Random operations have the same results on each provider as on the in-memory reference.
@Suite(.temporaryFolders) struct FuzzTests {
    /// The seeds that are tried for each provider. `ROOST_FUZZ_SEEDS` sets their number.
    static let seeds = 1...(ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 8)

    @Test(arguments: seeds) func `the JSON store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { try LocalFixture() }
    }

    @Test(arguments: seeds) func `the SQLite store behaves like the reference`(seed: Int) async throws {
        try await StorageFuzzer(seed: UInt64(seed), length: 120).run { try SQLiteFixture() }
    }

    @Test func `the fuzzer finds a store that ignores removals, and shrinks the failure to two steps`()
        async throws
    {
        var shortest = Int.max
        for seed in 1...5 {
            let failure = await #expect(throws: StorageFuzzer.Failure.self) {
                try await StorageFuzzer(seed: UInt64(seed)).run { CanaryFixture() }
            }
            shortest = min(shortest, failure?.operations.count ?? .max)
        }
        // The shortest failure has one operation that saves and one that removes, or a single batch that does both.
        #expect(shortest <= 2)
    }
}

@Suite(.temporaryFolders) struct FilePermissionTests {
    private func mode(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
            ?? 0
    }

    @Test(arguments: ["sqlite", "json"])
    func `only the owner can read the files of a store`(provider: String) throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The umask belongs to the process: a change in this one would affect tests that run at the same time.
        process.arguments = [
            "-c",
            """
            umask 0 && "$0" init --store=new/store --provider="$1" && "$0" add --store=new/store "a note" \\
                && "$0" add --store=new/store "another note" && "$0" index --store=new/store \\
                && "$0" recluster --store=new/store
            """,
            CommandLineDriver.binary.path, provider,
        ]
        process.currentDirectoryURL = folder.url
        process.environment = ["HOME": folder.url.appendingPathComponent("home").path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try TestTool.start(process)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let new = folder.url.appendingPathComponent("new")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: new.path)
        #expect(paths.count > 3)
        for path in paths {
            let full = new.appendingPathComponent(path).path
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            #expect(try mode(full) == (isFolder.boolValue ? 0o700 : 0o600), "\(path)")
        }
    }
}

/// Runs the executable `storage-worker`, which lets a test use a store from another process.
enum StorageWorker {
    static let tool = TestTool.url("storage-worker")

    static func run(_ job: StorageJob, _ backend: CrashWorkload.Backend, _ folder: URL) async throws {
        try await TestTool.run(
            "storage-worker", ["job", backend.rawValue, folder.path] + job.arguments,
            isKilled: job.kind == .saveAndDie)
    }
}
