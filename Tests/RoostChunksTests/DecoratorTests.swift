import Crypto
import Foundation
import RoostFiles
import Synchronization
import Testing

@testable import RoostChunks

/// What the decorators over a retrieval promise beyond the laws.
struct DecoratorTests {
    static let text = Data(String(repeating: "a line that comes again and again\n", count: 400).utf8)

    // MARK: Compression

    @Test(arguments: CompressionAlgorithm.allCases)
    func `what is written smaller is read whatever the algorithm is now`(
        algorithm: CompressionAlgorithm
    ) async throws {
        let base = InMemoryRetrieval()
        try await CompressedRetrieval(wrapped: base, algorithm: algorithm).writeChunk(
            Self.text, at: "x", metadata: nil)
        let stored = try #require(try await base.readChunk(at: "x"))
        #expect(stored.count < Self.text.count / 10)
        for other in CompressionAlgorithm.allCases {
            #expect(
                try await CompressedRetrieval(wrapped: base, algorithm: other).readChunk(at: "x") == Self.text
            )
        }
        // What cannot be made smaller is stored as it is, with a header.
        let noise = Data((0..<5000).map { _ in UInt8.random(in: 0...255) })
        try await CompressedRetrieval(wrapped: base, algorithm: algorithm).writeChunk(
            noise, at: "y", metadata: nil)
        #expect(try await base.readChunk(at: "y")?.count == noise.count + 13)
    }

    @Test(arguments: CompressionAlgorithm.allCases)
    func `every changed byte, every cut and every false size of a compressed chunk is noticed`(
        algorithm: CompressionAlgorithm
    ) async throws {
        let base = InMemoryRetrieval()
        let retrieval = CompressedRetrieval(wrapped: base, algorithm: algorithm, limit: 1 << 20)
        try await retrieval.writeChunk(
            Data("some words, some words, some words".utf8), at: "x", metadata: nil)
        let stored = try #require(try await base.readChunk(at: "x"))
        func isWrongOrSame(_ bytes: Data) async throws -> Bool {
            try await base.writeChunk(bytes, at: "x", metadata: nil)
            do {
                let found = try await retrieval.readChunk(at: "x")
                return found?.count == 34
            } catch is ChunkStorageError {
                return true
            }
        }
        for place in stored.indices {
            for bit in 0..<8 {
                var bytes = stored
                bytes[place] ^= 1 << UInt8(bit)
                #expect(try await isWrongOrSame(bytes), "byte \(place)")
            }
            await #expect(throws: ChunkStorageError.self) {
                try await base.writeChunk(stored.prefix(place), at: "x", metadata: nil)
                _ = try await retrieval.readChunk(at: "x")
            }
        }
    }

    @Test func `a bomb does not go off`() async throws {
        let base = InMemoryRetrieval()
        // A gigabyte of zeros in a few bytes.
        for algorithm in CompressionAlgorithm.allCases {
            let zeros = Data(count: 40 << 20)
            try await CompressedRetrieval(wrapped: base, algorithm: algorithm).writeChunk(
                zeros, at: "x", metadata: nil)
            let careful = CompressedRetrieval(wrapped: base, algorithm: algorithm, limit: 1 << 20)
            await #expect(throws: ChunkStorageError.tooLarge(path: "x", limit: 1 << 20)) {
                try await careful.readChunk(at: "x")
            }
            await #expect(throws: ChunkStorageError.tooLarge(path: "y", limit: 1 << 20)) {
                try await careful.writeChunk(zeros, at: "y", metadata: nil)
            }
            // One that lies about its size.
            var stored = try #require(try await base.readChunk(at: "x"))
            stored.replaceSubrange(5..<13, with: [100, 0, 0, 0, 0, 0, 0, 0])
            try await base.writeChunk(stored, at: "x", metadata: nil)
            await #expect(throws: ChunkStorageError.self) { try await careful.readChunk(at: "x") }
        }
    }

    // MARK: Encryption

    @Test
    func `encrypted chunks and metadata show nothing, and cannot be changed, swapped or read otherwise`()
        async throws
    {
        let base = InMemoryRetrieval()
        let key = SymmetricKey(size: .bits256)
        let retrieval = EncryptedRetrieval(wrapped: base, key: key)
        let metadata = ChunkMetadata(
            size: Self.text.count, contentType: "text/secret", custom: ["name": "plans"])
        for path in ["aa/one", "aa/two"] {
            try await retrieval.writeChunk(Self.text, at: path, metadata: metadata)
        }
        let stored = try #require(try await base.readChunk(at: "aa/one"))
        #expect(stored.count == Self.text.count + 32)
        #expect(stored.range(of: Data("line".utf8)) == nil)
        // The same bytes twice are not the same stored.
        #expect(try await base.readChunk(at: "aa/two") != stored)
        let shown = try #require(try await base.metadata(at: "aa/one"))
        #expect(shown.contentType == nil && !"\(shown)".contains("plans") && shown.size == stored.count)
        #expect(try await retrieval.metadata(at: "aa/one") == metadata)
        // Moved to another organization, it is the same chunk; under another name it is not.
        try await base.writeChunk(stored, at: "one", metadata: shown)
        #expect(try await retrieval.readChunk(at: "one") == Self.text)
        #expect(try await retrieval.metadata(at: "one") == metadata)
        try await base.writeChunk(stored, at: "aa/two", metadata: shown)
        await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "aa/two") }
        await #expect(throws: ChunkStorageError.self) { try await retrieval.metadata(at: "aa/two") }
        let other = EncryptedRetrieval(wrapped: base, key: SymmetricKey(size: .bits256))
        await #expect(throws: ChunkStorageError.self) { try await other.readChunk(at: "one") }
        for place in stride(from: 0, to: stored.count, by: 97) {
            var bytes = stored
            bytes[place] ^= 1
            try await base.writeChunk(bytes, at: "one", metadata: nil)
            await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "one") }
            try await base.writeChunk(stored.prefix(place), at: "one", metadata: nil)
            await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "one") }
        }
    }

    @Test func `a passphrase opens the key, can change, and a wrong one is an error`() async throws {
        let (key, wrapped) = try await ChunkKey.make(passphrase: "crème brûlée")
        let file = try JSONEncoder().encode(wrapped)
        let read = try JSONDecoder().decode(ChunkKey.self, from: file)
        #expect(try await read.unwrap(passphrase: "crème brûlée") == key)
        #expect(try await read.unwrap(passphrase: "cre\u{300}me bru\u{302}le\u{301}e") == key)
        await #expect(throws: ChunkStorageError.wrongKey) {
            try await read.unwrap(passphrase: "creme brulee")
        }
        await #expect(throws: ChunkStorageError.wrongKey) { try await read.unwrap(passphrase: "") }
        let changed = try await ChunkKey.rewrap(key, passphrase: "another")
        #expect(try await changed.unwrap(passphrase: "another") == key)
        await #expect(throws: ChunkStorageError.wrongKey) {
            try await changed.unwrap(passphrase: "crème brûlée")
        }
        await #expect(throws: ChunkStorageError.self) { try await ChunkKey.make(passphrase: "") }
        // A file that asks for a terabyte of memory.
        let greedy = String(decoding: file, as: UTF8.self).replacingOccurrences(
            of: "16384", with: "1073741824")
        let bad = try JSONDecoder().decode(ChunkKey.self, from: Data(greedy.utf8))
        await #expect(throws: ChunkStorageError.self) { try await bad.unwrap(passphrase: "crème brûlée") }
    }

    // MARK: Cache

    /// Counts what is asked, and lets a test hold reads back.
    final class Gate: ChunkStorageRetrieval {
        let base = InMemoryRetrieval()
        let reads = Atomic<Int>(0)
        let isOpen = Atomic<Bool>(true)
        let fails = Atomic<Bool>(false)

        func readChunk(at path: String) async throws -> Data? {
            reads.add(1, ordering: .sequentiallyConsistent)
            let data = try await base.readChunk(at: path)
            while !isOpen.load(ordering: .sequentiallyConsistent) {
                try await Task.sleep(for: .milliseconds(1))
            }
            if fails.load(ordering: .sequentiallyConsistent) {
                throw ChunkStorageError.storageUnavailable(reason: "test")
            }
            return data
        }
        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            try await base.writeChunk(data, at: path, metadata: metadata)
        }
        func chunkExists(at path: String) async -> Bool { await base.chunkExists(at: path) }
        func deleteChunk(at path: String) async throws { try await base.deleteChunk(at: path) }
    }

    func reads(_ gate: Gate) -> Int { gate.reads.load(ordering: .sequentiallyConsistent) }

    @Test func `many waiters are one read, and what is kept is bounded`() async throws {
        let gate = Gate()
        try await gate.base.writeChunk(Self.text, at: "x", metadata: nil)
        gate.isOpen.store(false, ordering: .sequentiallyConsistent)
        let cached = CachedRetrieval(wrapped: gate, limit: 3 * Self.text.count)
        let waiters = (0..<20).map { _ in Task { try await cached.readChunk(at: "x") } }
        try await Task.sleep(for: .milliseconds(50))
        // One that gives up does not take the others' read with it.
        waiters[0].cancel()
        gate.isOpen.store(true, ordering: .sequentiallyConsistent)
        for waiter in waiters.dropFirst() { #expect(try await waiter.value == Self.text) }
        #expect(reads(gate) == 1)
        for number in 0..<10 {
            try await gate.base.writeChunk(Self.text, at: "\(number)", metadata: nil)
            _ = try await cached.readChunk(at: "\(number)")
            // In use all the time, it stays.
            _ = try await cached.readChunk(at: "x")
        }
        #expect(reads(gate) == 11)
        #expect(cached.cachedBytes <= 3 * Self.text.count)
        _ = try await cached.readChunk(at: "0")
        #expect(reads(gate) == 12)
        // Larger than all there is room for.
        let huge = Data(count: 4 * Self.text.count)
        try await gate.base.writeChunk(huge, at: "huge", metadata: nil)
        for _ in 0..<2 { #expect(try await cached.readChunk(at: "huge") == huge) }
        #expect(reads(gate) == 14 && cached.cachedBytes <= 3 * Self.text.count)
    }

    @Test func `a read that began before a delete or a write leaves nothing stale behind`() async throws {
        let gate = Gate()
        let cached = CachedRetrieval(wrapped: gate)
        for isDelete in [true, false] {
            try await gate.base.writeChunk(Data("old".utf8), at: "x", metadata: nil)
            gate.isOpen.store(false, ordering: .sequentiallyConsistent)
            let reader = Task { try await cached.readChunk(at: "x") }
            try await Task.sleep(for: .milliseconds(20))
            if isDelete {
                try await cached.deleteChunk(at: "x")
            } else {
                try await cached.writeChunk(Data("new".utf8), at: "x", metadata: nil)
            }
            gate.isOpen.store(true, ordering: .sequentiallyConsistent)
            _ = try await reader.value
            #expect(try await cached.readChunk(at: "x") == (isDelete ? nil : Data("new".utf8)))
        }
    }

    @Test func `a failed read is not kept`() async throws {
        let gate = Gate()
        let cached = CachedRetrieval(wrapped: gate)
        try await gate.base.writeChunk(Self.text, at: "x", metadata: nil)
        gate.fails.store(true, ordering: .sequentiallyConsistent)
        await #expect(throws: ChunkStorageError.self) { try await cached.readChunk(at: "x") }
        gate.fails.store(false, ordering: .sequentiallyConsistent)
        #expect(try await cached.readChunk(at: "x") == Self.text)
    }

    // MARK: Comparing

    @Test func `bytes that are not those of their name are neither written nor given`() async throws {
        let base = InMemoryRetrieval()
        let retrieval = VerifyingRetrieval(wrapped: base)
        let path = GitStyleOrganization().storagePath(for: ChunkIdentifier(hashing: Self.text))
        await #expect(throws: ChunkStorageError.invalidPath(path)) {
            try await retrieval.writeChunk(Data("other".utf8), at: path, metadata: nil)
        }
        try await base.writeChunk(Data("other".utf8), at: path, metadata: nil)
        await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: path) }
    }
}
