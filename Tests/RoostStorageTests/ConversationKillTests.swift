import CrashWorkload
import Foundation
import RoostFiles
import Synchronization
import TestSupport
import Testing

/// A process that is killed at any step loses no acknowledged change of a conversation, and leaves no partial change.
@Suite(.temporaryFolders) struct ConversationKillTests {
    private typealias State = ConversationWorkload.State

    @Test(arguments: ConversationWorkload.Backend.allCases, [false, true])
    func `a process that is killed at any step loses no acknowledged change`(
        backend: ConversationWorkload.Backend, half: Bool
    ) async throws {
        let expected = try await ConversationWorkload.expected(backend)
        let uninterrupted = try TemporaryFolder()
        let steps = try KillTests.run(
            "conversations", backend.rawValue, uninterrupted.url, point: 0, half: half
        )
        .steps
        try #require(steps > 500)
        let limit = KillTests.limit == .max ? steps : KillTests.limit / 4
        let stride = max(1, Double(steps) / Double(limit))
        var killed = 0
        for number in 0..<min(steps, limit) {
            let point = min(steps, Int(Double(number) * stride) + 1)
            let folder = try TemporaryFolder()
            let outcome = try KillTests.run(
                "conversations", backend.rawValue, folder.url, point: point, half: half)
            killed += outcome.wasKilled ? 1 : 0
            let what = "killed \(half ? "inside" : "before") step \(point) after \(outcome.acknowledged)"
            let workload = try ConversationWorkload(backend, in: folder.url)
            let found = try await workload.state()
            let allowed = Array(
                expected[outcome.acknowledged...min(outcome.acknowledged + 1, expected.count - 1)])
            let index = allowed.firstIndex(of: found)
            #expect(index != nil, "\(what): \(found.mapValues(\.count))")
            // The next process repeats the unacknowledged change if it is missing, and continues.
            let next = outcome.acknowledged + (index == 1 ? 1 : 0)
            for number in next..<min(next + 12, ConversationWorkload.count) {
                try await workload.perform(number)
                #expect(
                    try await workload.state() == expected[number + 1], "\(what): change \(number) after it")
            }
        }
        #expect(killed > min(steps, limit) * 9 / 10)
    }

    @Test(arguments: ConversationWorkload.Backend.allCases)
    func `processes that write to one storage at once lose nothing when one is killed`(
        backend: ConversationWorkload.Backend
    ) async throws {
        let folder = try TemporaryFolder()
        func start(_ name: String, _ count: Int) throws -> (process: Process, output: FileHandle) {
            let (process, output) = (Process(), Pipe())
            process.executableURL = StorageWorker.tool
            process.arguments = ["pairs", backend.rawValue, folder.url.path, name, "\(count)"]
            process.standardOutput = output
            try TestTool.start(process)
            return (process, output.fileHandleForReading)
        }
        let victim = try start("victim", 1_000_000)
        let others = try ["a", "b"].map { ($0, try start($0, 60)) }
        var acknowledged = Data()
        while acknowledged.count(where: { $0 == 10 }) < 20 {
            let more = victim.output.availableData
            try #require(!more.isEmpty, "the process ended by itself")
            acknowledged += more
        }
        kill(victim.process.processIdentifier, SIGKILL)
        acknowledged += try victim.output.readToEnd() ?? Data()
        victim.process.waitUntilExit()
        for (name, other) in others {
            let lines = try other.output.readToEnd() ?? Data()
            other.process.waitUntilExit()
            #expect(other.process.terminationStatus == 0 && lines.count(where: { $0 == 10 }) == 60, "\(name)")
        }
        let workload = try ConversationWorkload(backend, in: folder.url)
        try await workload.addPair("after them")
        let found = try await workload.pairs()
        let pairs = stride(from: 0, to: found.count - 1, by: 2).map { (found[$0], found[$0 + 1]) }
        #expect(pairs.allSatisfy { $0.0 == $0.1 }, "a pair was torn apart")
        let acknowledgedPairs = acknowledged.count { $0 == 10 }
        let victims = pairs.count { $0.0.hasPrefix("victim ") }
        #expect(
            victims == acknowledgedPairs || victims == acknowledgedPairs + 1,
            "\(victims) pairs, of which \(acknowledgedPairs) were acknowledged")
        #expect(pairs.count == victims + 121 && pairs.last?.0 == "after them")
    }

    @Test(arguments: [ConversationWorkload.Backend.fileHistories], [0, 1, 2, 3])
    func `a disk error at any step is thrown and leaves no partial change`(
        backend: ConversationWorkload.Backend, kind: Int
    ) async throws {
        let expected = try await ConversationWorkload.expected(backend)
        for point in 1...30 {
            let folder = try TemporaryFolder()
            let steps = Atomic(0)
            let files = FileSystem { step in
                let number = steps.add(1, ordering: .relaxed).newValue
                // Spreads the failures over the steps of all changes, not only of the first ones.
                guard number == point * (1 + point % 17) else { return nil }
                switch kind {
                case 0: return .error(EIO)
                case 1: return .error(ENOSPC)
                case 2: return .error(EACCES)
                default: return step.kind == .write ? .shortWrite(count: step.count / 2) { EIO } : .error(EIO)
                }
            }
            let workload = try ConversationWorkload(backend, in: folder.url, files: files)
            let untouched = try ConversationWorkload(backend, in: folder.url)
            var failures = 0
            for number in 0..<ConversationWorkload.count {
                var isDone = false
                while !isDone {
                    do {
                        try await workload.perform(number)
                        isDone = true
                    } catch {
                        failures += 1
                        let allowed = [expected[number], expected[number + 1]]
                        let found = try await untouched.state()
                        #expect(allowed.contains(found), "step \(point), change \(number): \(error)")
                        // If only the synchronization of the folder failed, the change may be complete
                        // despite the error.
                        isDone = found == expected[number + 1] && found != expected[number]
                    }
                }
                guard failures == 0 || number % 40 == 39 else { continue }
                if failures > 0 { break }
            }
            #expect(try await untouched.state() == workload.state())
            #expect(failures == 1, "step \(point)")
        }
    }
}
