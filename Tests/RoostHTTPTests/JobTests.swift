import Foundation
import HTTPTypes
import NIOHTTP1
import Roost
import RoostBackups
import RoostMCP
import RoostModel
import TestSupport
import Testing

@testable import RoostHTTP

/// Tests of jobs that another server of the same store runs.
@Suite(.temporaryFolders)
struct JobTests {
    @Test func `a server follows the jobs of another server, but cannot cancel them`() async throws {
        let folder = try TemporaryFolder().url
        let owner = JobRegistry(directory: folder) { _ in nil }
        let other = JobRegistry(directory: folder) { _ in nil }
        // The job begins after the start of the other server.
        await other.recover()
        let (gate, end) = AsyncStream<Void>.makeStream()
        let job = try await owner.start("test") { progress in
            progress(0.5, "the first step")
            for await _ in gate { break }
            return ["x": 1]
        }
        var seen = try #require(await other.job(job.id))
        while seen.progress < 0.5 {
            try await Task.sleep(for: .milliseconds(10))
            seen = try #require(await other.job(job.id))
        }
        #expect(seen.state == .running && seen.step == "the first step")
        #expect(await other.all.map(\.id) == [job.id])
        let running = seen
        let problem = await #expect(throws: Problem.self) { try await other.cancel(running) }
        #expect(problem?.status == .conflict)
        var last: Job?
        let updates = try #require(await other.updates(of: job.id))
        end.yield()
        for await update in updates { last = update }
        #expect(last?.state == .succeeded)
        #expect(last?.result == ["x": 1])
        #expect(await other.job(job.id)?.state == .succeeded)
        try await other.cancel(try #require(last))
        await owner.stop()
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent("jobs").path)
        #expect(names == ["\(job.id.text).json"])
    }

    @Test(arguments: [true, false])
    func `a job of a server that ended was interrupted`(hasLockFile: Bool) async throws {
        let folder = try TemporaryFolder().url
        let jobs = folder.appendingPathComponent("jobs")
        try FileManager.default.createDirectory(at: jobs, withIntermediateDirectories: true)
        var job = Job(kind: "test")
        let server = UUID()
        job.server = server
        let file = jobs.appendingPathComponent("\(job.id.text).json")
        try JSONEncoder().encode(job).write(to: file)
        if hasLockFile { try Data().write(to: jobs.appendingPathComponent("\(server.text).lock")) }
        let registry = JobRegistry(directory: folder) { _ in nil }
        // Records are read at each request, and not only at the start of the server.
        #expect(await registry.job(job.id)?.state == .interrupted)
        let record = try JSONDecoder().decode(Job.self, from: try Data(contentsOf: file))
        #expect(record.state == .interrupted && record.finishedAt != nil)
        let updates = try #require(await registry.updates(of: job.id))
        var states: [Job.State] = []
        for await update in updates { states.append(update.state) }
        #expect(states == [.interrupted])
    }

    @Test func `a job does not create the folder of a store that was moved away`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let jobs = JobRegistry(directory: folder) { _ in nil }
        let job = try await jobs.start("backup") { _ in [:] }
        var last: Job?
        for await update in try #require(await jobs.updates(of: job.id)) { last = update }
        #expect(last?.state == .succeeded)
        await jobs.stop()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `a job whose backup does not fit on the disk says so`() async throws {
        let jobs = JobRegistry(directory: nil) { $0 == .freeSpace ? "free some space" : nil }
        let job = try await jobs.start("backup") { _ in
            throw ChunkStorageError.storageFull(reason: "no space left on device")
        }
        var last: Job?
        for await update in try #require(await jobs.updates(of: job.id)) { last = update }
        #expect(last?.state == .failed)
        #expect(last?.failure == "chunk storage full: no space left on device; free some space")
    }

    @Test func `a clustering run reports its steps in its job`() async throws {
        try await HTTPHarness.run { harness in
            for number in 0..<400 {
                try await harness.store.add("tomato soil garden water \(number) plant \(number % 7)")
            }
            let started = try await harness.send(.POST, "/api/v1/clusters/recluster", [:])
            let id = try #require(started.json["id"]?.asString)
            let events = try await harness.send(.GET, "/api/v1/jobs/\(id)/events").text
            #expect(events.contains("\"state\":\"succeeded\""), "\(events)")
            let job = try await harness.send(.GET, "/api/v1/jobs/\(id)").json
            #expect(job["progress"] == 1 && job["step"] == nil)
        }
    }
}
