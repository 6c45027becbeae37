import Foundation
import RoostFiles
import Synchronization
import Testing

@testable import RoostChunks

/// Tests of properties of the decorators that the laws do not cover.
struct ChunkDecoratorTests {
    static let text = Data(String(repeating: "a line that comes again and again\n", count: 400).utf8)

    // MARK: Paths

    /// The organizations of the package write ASCII, but those of a caller need not.
    @Test func `paths that differ in Unicode normalization are different`() async throws {
        let (composed, decomposed) = ("\u{e9}/x", "e\u{301}/x")
        let base = InMemoryRetrieval()
        try await base.writeChunk(Data("composed".utf8), at: composed, metadata: nil)
        #expect(try await base.readChunk(at: decomposed) == nil)
        #expect(try await base.paths(in: "e\u{301}") == [])
        try await base.writeChunk(Data("decomposed".utf8), at: decomposed, metadata: nil)
        let cached = CachedRetrieval(wrapped: base)
        for _ in 0..<2 {
            #expect(try await cached.readChunk(at: composed) == Data("composed".utf8))
            #expect(try await cached.readChunk(at: decomposed) == Data("decomposed".utf8))
        }
        try await cached.deleteChunk(at: composed)
        #expect(try await cached.readChunk(at: composed) == nil)
        #expect(try await cached.readChunk(at: decomposed) == Data("decomposed".utf8))
    }

    // MARK: Compression

    @Test(arguments: CompressionAlgorithm.allCases)
    func `compressed chunks are readable regardless of the configured algorithm`(
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
        // Incompressible data is stored uncompressed, after a header of 13 bytes.
        let noise = Data((0..<5000).map { _ in UInt8.random(in: 0...255) })
        try await CompressedRetrieval(wrapped: base, algorithm: algorithm).writeChunk(
            noise, at: "y", metadata: nil)
        #expect(try await base.readChunk(at: "y")?.count == noise.count + 13)
    }

    @Test(arguments: CompressionAlgorithm.allCases)
    func `reading a damaged compressed chunk throws or returns data of the original size`(
        algorithm: CompressionAlgorithm
    ) async throws {
        let base = InMemoryRetrieval()
        let retrieval = CompressedRetrieval(wrapped: base, algorithm: algorithm, limit: 1 << 20)
        try await retrieval.writeChunk(
            Data("some words, some words, some words".utf8), at: "x", metadata: nil)
        let stored = try #require(try await base.readChunk(at: "x"))
        func throwsOrKeepsSize(_ bytes: Data) async throws -> Bool {
            try await base.writeChunk(bytes, at: "x", metadata: nil)
            do {
                let found = try await retrieval.readChunk(at: "x")
                return found?.count == 34
            } catch is ChunkStorageError {
                return true
            }
        }
        for index in stored.indices {
            for bit in 0..<8 {
                var bytes = stored
                bytes[index] ^= 1 << UInt8(bit)
                #expect(try await throwsOrKeepsSize(bytes), "byte \(index)")
            }
            await #expect(throws: ChunkStorageError.self) {
                try await base.writeChunk(stored.prefix(index), at: "x", metadata: nil)
                _ = try await retrieval.readChunk(at: "x")
            }
        }
    }

    @Test func `a decompression bomb is rejected`() async throws {
        let base = InMemoryRetrieval()
        // 40 MiB of zeros compress to a few bytes.
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
            // Writes the same chunk with a wrong size in its header.
            var stored = try #require(try await base.readChunk(at: "x"))
            stored.replaceSubrange(5..<13, with: [100, 0, 0, 0, 0, 0, 0, 0])
            try await base.writeChunk(stored, at: "x", metadata: nil)
            await #expect(throws: ChunkStorageError.self) { try await careful.readChunk(at: "x") }
        }
    }

    // MARK: Encryption

    @Test func `encrypted chunks are confidential and cannot be modified or swapped`() async throws {
        let base = InMemoryRetrieval()
        let key = EncryptionKey()
        let retrieval = EncryptedRetrieval(wrapped: base, key: key)
        let metadata = ChunkMetadata(
            size: Self.text.count, contentType: "text/secret", custom: ["name": "plans"])
        for path in ["aa/one", "aa/two"] {
            try await retrieval.writeChunk(Self.text, at: path, metadata: metadata)
        }
        let stored = try #require(try await base.readChunk(at: "aa/one"))
        #expect(stored.count == Self.text.count + 32)
        #expect(stored.range(of: Data("line".utf8)) == nil)
        // The nonce is random, so equal chunks have different ciphertexts.
        #expect(try await base.readChunk(at: "aa/two") != stored)
        let visible = try #require(try await base.metadata(at: "aa/one"))
        #expect(visible.contentType == nil && !"\(visible)".contains("plans") && visible.size == stored.count)
        #expect(try await retrieval.metadata(at: "aa/one") == metadata)
        // A chunk cannot be moved to another path.
        try await base.writeChunk(stored, at: "aa/two", metadata: visible)
        await #expect(throws: ChunkStorageError.self) { try await retrieval.metadata(at: "aa/two") }
        await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "aa/two") }
        let other = EncryptedRetrieval(wrapped: base, key: EncryptionKey())
        await #expect(throws: ChunkStorageError.self) { try await other.readChunk(at: "aa/one") }
        for index in stride(from: 0, to: stored.count, by: 97) {
            var bytes = stored
            bytes[index] ^= 1
            try await base.writeChunk(bytes, at: "aa/one", metadata: nil)
            await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "aa/one") }
            try await base.writeChunk(stored.prefix(index), at: "aa/one", metadata: nil)
            await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "aa/one") }
        }
    }

    @Test func `a passphrase unwraps the key and can be changed`() async throws {
        let key = EncryptionKey()
        let wrapped = try await ChunkKey.wrapping(key, passphrase: "crème brûlée")
        let file = try JSONEncoder().encode(wrapped)
        let read = try JSONDecoder().decode(ChunkKey.self, from: file)
        #expect(try await read.unwrap(passphrase: "crème brûlée").bytes == key.bytes)
        #expect(try await read.unwrap(passphrase: "cre\u{300}me bru\u{302}le\u{301}e").bytes == key.bytes)
        await #expect(throws: ChunkStorageError.wrongKey) {
            try await read.unwrap(passphrase: "creme brulee")
        }
        await #expect(throws: ChunkStorageError.wrongKey) { try await read.unwrap(passphrase: "") }
        let changed = try await ChunkKey.wrapping(key, passphrase: "another")
        #expect(try await changed.unwrap(passphrase: "another").bytes == key.bytes)
        await #expect(throws: ChunkStorageError.wrongKey) {
            try await changed.unwrap(passphrase: "crème brûlée")
        }
        await #expect(throws: ChunkStorageError.self) { try await ChunkKey.wrapping(key, passphrase: "") }
        // A manipulated key file whose parameters demand a terabyte of memory is rejected.
        let excessive = String(decoding: file, as: UTF8.self).replacingOccurrences(
            of: "16384", with: "1073741824")
        let manipulated = try JSONDecoder().decode(ChunkKey.self, from: Data(excessive.utf8))
        await #expect(throws: ChunkStorageError.self) {
            try await manipulated.unwrap(passphrase: "crème brûlée")
        }
    }

    // MARK: Cache

    /// A retrieval that counts reads and delays them until a test opens the gate.
    final class Gate: ChunkRetrievalDecorator {
        let base = InMemoryRetrieval()
        var wrapped: any ChunkStorageRetrieval { base }
        let reads = Atomic<Int>(0)
        /// The number of reads that have read the base and have not returned.
        let waiting = Atomic<Int>(0)
        let isOpen = Atomic<Bool>(true)
        let fails = Atomic<Bool>(false)

        func readChunk(at path: String) async throws -> Data? {
            reads.add(1, ordering: .sequentiallyConsistent)
            let data = try await base.readChunk(at: path)
            waiting.add(1, ordering: .sequentiallyConsistent)
            defer { waiting.subtract(1, ordering: .sequentiallyConsistent) }
            while !isOpen.load(ordering: .sequentiallyConsistent) {
                try await Task.sleep(for: .milliseconds(1))
            }
            if fails.load(ordering: .sequentiallyConsistent) {
                throw ChunkStorageError.storageUnavailable(reason: "test")
            }
            return data
        }
    }

    func waitForRead(_ gate: Gate) async throws {
        while gate.waiting.load(ordering: .sequentiallyConsistent) == 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func reads(_ gate: Gate) -> Int { gate.reads.load(ordering: .sequentiallyConsistent) }

    @Test func `concurrent reads share one load, and the cache is bounded`() async throws {
        let gate = Gate()
        try await gate.base.writeChunk(Self.text, at: "x", metadata: nil)
        gate.isOpen.store(false, ordering: .sequentiallyConsistent)
        let cached = CachedRetrieval(wrapped: gate, limit: 3 * Self.text.count)
        let waiters = (0..<20).map { _ in Task { try await cached.readChunk(at: "x") } }
        try await waitForRead(gate)
        // The read continues for the others.
        waiters[0].cancel()
        gate.isOpen.store(true, ordering: .sequentiallyConsistent)
        for waiter in waiters.dropFirst() { #expect(try await waiter.value == Self.text) }
        #expect(reads(gate) == 1)
        for number in 0..<10 {
            try await gate.base.writeChunk(Self.text, at: "\(number)", metadata: nil)
            _ = try await cached.readChunk(at: "\(number)")
            // A chunk in constant use is not evicted.
            _ = try await cached.readChunk(at: "x")
        }
        #expect(reads(gate) == 11)
        #expect(cached.cachedBytes <= 3 * Self.text.count)
        _ = try await cached.readChunk(at: "0")
        #expect(reads(gate) == 12)
        // A chunk that is larger than the cache is not cached.
        let huge = Data(count: 4 * Self.text.count)
        try await gate.base.writeChunk(huge, at: "huge", metadata: nil)
        for _ in 0..<2 { #expect(try await cached.readChunk(at: "huge") == huge) }
        #expect(reads(gate) == 14 && cached.cachedBytes <= 3 * Self.text.count)
    }

    @Test func `a read is not cached if a write or deletion completes before it`() async throws {
        let gate = Gate()
        let cached = CachedRetrieval(wrapped: gate)
        for isDelete in [true, false] {
            try await gate.base.writeChunk(Data("old".utf8), at: "x", metadata: nil)
            gate.isOpen.store(false, ordering: .sequentiallyConsistent)
            let reader = Task { try await cached.readChunk(at: "x") }
            try await waitForRead(gate)
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

    @Test func `a failed read is not cached`() async throws {
        let gate = Gate()
        let cached = CachedRetrieval(wrapped: gate)
        try await gate.base.writeChunk(Self.text, at: "x", metadata: nil)
        gate.fails.store(true, ordering: .sequentiallyConsistent)
        await #expect(throws: ChunkStorageError.self) { try await cached.readChunk(at: "x") }
        gate.fails.store(false, ordering: .sequentiallyConsistent)
        #expect(try await cached.readChunk(at: "x") == Self.text)
    }
}
