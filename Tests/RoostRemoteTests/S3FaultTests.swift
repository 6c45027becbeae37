import FakeServer
import Foundation
import RoostChunks
import RoostModel
import RoostTestKit
import Testing

@testable import RoostRemote

/// Tests with object stores that fail transiently or permanently.
struct S3FaultTests {
    /// Returns a bucket whose requests end by a timeout only if the server never responds.
    ///
    /// - Parameter fault: The fault of the server. If it stalls, the timeout is shorter, because the test has
    ///   to wait for it, but still long enough for a response on a busy machine.
    private func bucket(_ store: FakeObjectStore, _ fault: FakeObjectStore.Fault? = nil) throws -> S3Bucket {
        var bucket = try S3Bucket(
            "s3://bucket/p", endpoint: store.address, credentials: ObjectStore.credentials)
        bucket.timeout = fault == .stalls ? .seconds(3) : .seconds(60)
        bucket.maximumDelay = .milliseconds(2)
        bucket.attempts = 3
        return bucket
    }

    @Test func `operations succeed although every other request fails, and have their effect once`()
        async throws
    {
        let store = try await FakeObjectStore()
        for fault in FakeObjectStore.Fault.allCases where fault != .portal {
            let retrieval = S3Retrieval(try bucket(store, fault))
            // Every other request fails, starting with the first.
            store.fail { _, number in number % 2 == 1 ? fault : nil }
            let data = Data("some bytes for \(fault)".utf8)
            let path = "x/\(fault)"
            #expect(try await retrieval.presence(at: path) == false, "\(fault)")
            #expect(try await retrieval.createChunk(data, at: path, metadata: nil), "\(fault)")
            #expect(try await !retrieval.createChunk(Data(), at: path, metadata: nil), "\(fault)")
            #expect(try await retrieval.readChunk(at: path) == data, "\(fault)")
            #expect(try await retrieval.paths(in: "x").contains(path), "\(fault)")
            try await retrieval.deleteChunk(at: path)
            #expect(try await retrieval.readChunk(at: path) == nil, "\(fault)")
        }
        await store.close()
    }

    @Test(arguments: FakeObjectStore.Fault.allCases)
    func `a permanent failure is an error and is never reported as a missing chunk`(
        fault: FakeObjectStore.Fault
    ) async throws {
        let store = try await FakeObjectStore()
        let retrieval = S3Retrieval(try bucket(store))
        let data = Data("some bytes".utf8)
        try await retrieval.writeChunk(data, at: "existing", metadata: nil)
        let before = store.state
        store.fail { _, _ in fault }
        // No request succeeds, so the timeout may be short.
        var failingBucket = try bucket(store)
        if fault == .stalls { failingBucket.timeout = .milliseconds(300) }
        let failing = S3Retrieval(failingBucket)
        for path in ["existing", "missing"] where fault != .wrongByte {
            await #expect(throws: ChunkStorageError.self, "\(path)") { try await failing.presence(at: path) }
            await #expect(throws: ChunkStorageError.self, "\(path)") { try await failing.readChunk(at: path) }
        }
        if fault == .wrongByte {
            await #expect {
                try await failing.readChunk(at: "existing")
            } throws: { error in
                if case ChunkStorageError.corrupt? = error as? ChunkStorageError { true } else { false }
            }
        } else {
            await #expect(throws: ChunkStorageError.self) { try await failing.paths(in: "") }
            await #expect(throws: ChunkStorageError.self) {
                try await failing.writeChunk(data, at: "new", metadata: nil)
            }
            #expect(store.requestCount <= 6 * 3 + 3, "\(store.requestCount) requests")
        }
        store.fail { _, _ in nil }
        #expect(try await retrieval.readChunk(at: "existing") == data)
        #expect(before["/bucket/p/existing"]?.data == data)
        await store.close()
    }

    @Test func `the error for an unreachable server names the server`() async throws {
        let store = try await FakeObjectStore()
        let retrieval = S3Retrieval(try bucket(store))
        await store.close()
        await #expect {
            try await retrieval.readChunk(at: "a")
        } throws: { "\($0)".contains("127.0.0.1:") }
    }

    @Test func `names in a listing are compared by their bytes`() async throws {
        // A combining accent forms one character with the slash before it.
        let server = try await FakeServer { _, _ in
            .init(
                body: Data(
                    ("<ListBucketResult><IsTruncated>false</IsTruncated>"
                        + "<Contents><Key>p/\u{301}x</Key></Contents></ListBucketResult>").utf8))
        }
        let bucket = try S3Bucket(
            "s3://bucket/p", endpoint: server.address, credentials: ObjectStore.credentials)
        #expect(try await S3Retrieval(bucket).paths(in: "") == ["\u{301}x"])
        await server.close()
    }

    @Test(arguments: [
        (403, "AccessDenied", "denied access"), (403, "SignatureDoesNotMatch", "credentials"),
        (403, "RequestTimeTooSkewed", "clock"), (301, "PermanentRedirect", "AWS_REGION"),
        (507, "QuotaExceeded", "no free space"), (404, "", "not an object store"),
        (404, "NoSuchBucket", "the bucket 'bucket' does not exist"),
        (501, "NotImplemented", "does not implement"), (400, "<b>\u{1B}[31m", "status 400"),
    ])
    func `the error for a rejected request names the cause`(status: Int, code: String, words: String)
        async throws
    {
        let server = try await FakeServer { _, _ in
            .init(status: status, body: Data("<Error><Code>\(code)</Code><Message>m</Message></Error>".utf8))
        }
        var bucket = try S3Bucket(
            "s3://bucket/p", endpoint: server.address, credentials: ObjectStore.credentials)
        bucket.attempts = 2
        let retrieval = S3Retrieval(bucket)
        await #expect {
            try await retrieval.readChunk(at: "a")
        } throws: { "\($0)".contains(words) && !"\($0)".contains("\u{1B}") }
        await #expect(throws: ChunkStorageError.self) { try await retrieval.deleteChunk(at: "a") }
        #expect(server.requests.count == 2)
        await server.close()
    }

    // MARK: Backups

    private func entries(_ range: Range<Int>) -> [Entry] {
        range.map { Entry(content: "entry \($0) of the backup", embeddings: [1, 0, 0, 0]) }
    }

    private func repository(
        _ store: FakeObjectStore, _ fault: FakeObjectStore.Fault? = nil
    ) async throws -> (BackupRepository, InMemoryStorageProvider) {
        let repository = try await BackupRepository.create(in: S3Retrieval(try bucket(store, fault)))
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: entries(0..<300)))
        _ = try await repository.create(of: try await storage.snapshot())
        return (repository, storage)
    }

    @Test func `an outage at any request of a backup leaves the existing snapshots intact`() async throws {
        let store = try await FakeObjectStore()
        let (repository, storage) = try await repository(store)
        _ = try await storage.commit(WriteBatch(upserts: entries(1000..<1200)))
        let before = store.state
        store.fail { _, _ in nil }
        _ = try await repository.create(of: try await storage.snapshot())
        let requests = store.requestCount
        #expect(requests > 8)
        for number in 1...requests {
            store.restore(before)
            // This request and all later ones fail.
            store.fail { _, count in count >= number ? .hangsUp : nil }
            let done = try? await repository.create(of: try await storage.snapshot())
            store.fail { _, _ in nil }
            let result = try await repository.verify(readingData: true)
            #expect(result.isSound, "request \(number): \(result.findings)")
            #expect(result.snapshotCount == (done == nil ? 1 : 2), "request \(number)")
            // A later backup succeeds, because any remaining lock belongs to this process and is shared.
            _ = try await repository.create(of: try await storage.snapshot())
        }
        await store.close()
    }

    @Test func `an outage at any request of a prune leaves every remaining snapshot intact`() async throws {
        let store = try await FakeObjectStore()
        let (repository, storage) = try await repository(store)
        for round in 0..<3 {
            let old = try await storage.snapshot().entries(after: nil, limit: 100, matching: .all).entries
            _ = try await storage.commit(
                WriteBatch(
                    upserts: entries(1000 * (round + 2)..<1000 * (round + 2) + 50), removals: old.map(\.id)))
            _ = try await repository.create(of: try await storage.snapshot())
        }
        let before = store.state
        store.fail { _, _ in nil }
        let report = try await repository.prune(keeping: BackupRetention(last: 1))
        #expect(report.forgotten.count == 3)
        let requests = store.requestCount
        for fault in [FakeObjectStore.Fault.hangsUp, .losesAnswer] {
            for number in 1...requests {
                store.restore(before)
                store.fail { _, count in count >= number ? fault : nil }
                _ = try? await repository.prune(keeping: BackupRetention(last: 1))
                store.fail { _, _ in nil }
                let result = try await repository.verify(readingData: true)
                #expect(result.isSound, "\(fault) at \(number): \(result.findings)")
                #expect(result.snapshotCount >= 1, "\(fault) at \(number)")
                let latest = try await repository.snapshot("latest")
                let restored = InMemoryStorageProvider()
                _ = try await repository.restore(latest, into: restored)
                #expect(
                    try await restored.snapshot().stamp.entryCount
                        == storage.snapshot().stamp.entryCount, "\(fault) at \(number)")
            }
        }
        await store.close()
    }

    @Test func `a backup and a restore succeed although every third request fails`() async throws {
        let store = try await FakeObjectStore()
        for fault in FakeObjectStore.Fault.allCases where fault != .portal {
            store.restore([:])
            store.fail { _, number in number % 3 == 0 ? fault : nil }
            let (repository, storage) = try await repository(store, fault)
            let restored = InMemoryStorageProvider()
            _ = try await repository.restore(try await repository.snapshot("latest"), into: restored)
            #expect(
                try await restored.fetchEntries().map(\.content)
                    == storage.fetchEntries().map(\.content), "\(fault)")
        }
        await store.close()
    }
}
