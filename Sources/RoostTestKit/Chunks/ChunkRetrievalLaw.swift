public import Foundation
public import RoostChunks

/// A guarantee that every chunk retrieval must give, including decorators. Each law is a separate test case:
///
///     @Test(arguments: ChunkRetrievalLaw.allCases)
///     func `my retrieval obeys`(law: ChunkRetrievalLaw) async throws {
///         try await law.check(MyRetrieval())
///     }
public enum ChunkRetrievalLaw: String, Sendable, CaseIterable {
    /// Bytes that have been written are read back unchanged.
    case writtenChunksCanBeRead
    /// Reading, checking and deleting a missing chunk does not throw.
    case missingChunkIsNoError
    /// Writing a chunk again replaces its metadata.
    case writingReplacesChunk
    /// A deleted chunk has neither bytes nor metadata.
    case deletedChunksAreRemoved
    /// Metadata is either read back unchanged or not stored at all.
    case metadataIsPreserved
    /// If several tasks create the same chunk, exactly one of them succeeds, and the metadata, if it is
    /// stored, is that of this task. The default implementation of `createChunk` does not guarantee this.
    case onlyOneTaskCreatesChunk
    /// The paths of all chunks are listed, with correct sizes or none, unless the retrieval does not support
    /// listing.
    case allChunksAreListed
    /// No changes are lost if several tasks use the retrieval concurrently.
    case concurrentTasksLoseNothing
    /// A reader never sees a partially written chunk.
    case readersSeeOnlyCompleteChunks
    /// Paths that lead out of the folder, or that could be written in several ways, are rejected.
    case pathsOutsideFolderAreRejected

    /// Checks the law with a retrieval.
    ///
    /// - Parameters:
    ///   - retrieval: A retrieval that contains no chunks. Each law needs a new one.
    ///   - path: Returns the path for a chunk with the given number and bytes. A retrieval that verifies its
    ///     chunks needs the paths of its organization; for all others, the default is sufficient.
    /// - Throws: ``LawViolation``, or an error thrown by the retrieval.
    public func check(
        _ retrieval: any ChunkStorageRetrieval,
        path: @escaping @Sendable (_ number: Int, _ data: Data) -> String = { number, _ in
            "ab/chunk-\(number)"
        }
    ) async throws {
        let trial = RetrievalTrial(retrieval: retrieval, path: path)
        switch self {
        case .writtenChunksCanBeRead: try await trial.writtenChunksCanBeRead()
        case .missingChunkIsNoError: try await trial.missingChunkIsNoError()
        case .writingReplacesChunk: try await trial.writingReplacesChunk()
        case .deletedChunksAreRemoved: try await trial.deletedChunksAreRemoved()
        case .metadataIsPreserved: try await trial.metadataIsPreserved()
        case .onlyOneTaskCreatesChunk: try await trial.onlyOneTaskCreatesChunk()
        case .allChunksAreListed: try await trial.allChunksAreListed()
        case .concurrentTasksLoseNothing: try await trial.concurrentTasksLoseNothing()
        case .readersSeeOnlyCompleteChunks: try await trial.readersSeeOnlyCompleteChunks()
        case .pathsOutsideFolderAreRejected: try await trial.pathsOutsideFolderAreRejected()
        }
    }

    /// Bytes that are difficult to store: empty data, large data, incompressible data, and data that looks
    /// like an encoded chunk.
    public static let samples: [Data] = [
        Data(), Data([0]), Data("abc".utf8), Data(repeating: 7, count: 100_000),
        Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 2_654_435_761 >> 13) }),
        Data("RCZ1".utf8), Data("RCE1".utf8) + Data(count: 40),
    ]
}

private struct RetrievalTrial {
    let retrieval: any ChunkStorageRetrieval
    let path: @Sendable (_ number: Int, _ data: Data) -> String
    let samples = ChunkRetrievalLaw.samples

    /// Requires that a chunk contains the expected bytes or, if `expected` is `nil`, that the chunk is
    /// missing.
    func requireRead(_ path: String, _ expected: Data?) async throws {
        let found = try await retrieval.readChunk(at: path)
        try require(
            found == expected,
            "'\(path)' has \(found.map { "\($0.count) bytes" } ?? "no bytes"), not the expected "
                + "\(expected.map { "\($0.count) bytes" } ?? "absence")")
    }

    func writtenChunksCanBeRead() async throws {
        for (number, data) in samples.enumerated() {
            let path = path(number, data)
            try await retrieval.writeChunk(data, at: path, metadata: nil)
            try await requireRead(path, data)
            try require(await retrieval.chunkExists(at: path), "'\(path)' was written but does not exist")
            try require(try await retrieval.presence(at: path), "'\(path)' was written but is not present")
        }
        for (number, data) in samples.enumerated() { try await requireRead(path(number, data), data) }
    }

    func missingChunkIsNoError() async throws {
        let path = path(1, Data("none".utf8))
        try await requireRead(path, nil)
        try require(await !retrieval.chunkExists(at: path), "a chunk that was never written exists")
        try require(try await !retrieval.presence(at: path), "a chunk that was never written is present")
        try require(
            try await retrieval.metadata(at: path) == nil, "a chunk that was never written has metadata")
        try await retrieval.deleteChunk(at: path)
    }

    func writingReplacesChunk() async throws {
        let (data, metadata) = (samples[2], ChunkMetadata(size: 3, custom: ["a": "b"]))
        let path = path(1, data)
        for _ in 0..<2 { try await retrieval.writeChunk(data, at: path, metadata: metadata) }
        try await requireRead(path, data)
        try await retrieval.writeChunk(data, at: path, metadata: nil)
        try await requireRead(path, data)
        try require(
            try await retrieval.metadata(at: path) == nil,
            "a chunk that was written without metadata has the earlier metadata")
    }

    func deletedChunksAreRemoved() async throws {
        let data = samples[2]
        let path = path(1, data)
        try await retrieval.writeChunk(data, at: path, metadata: ChunkMetadata(size: data.count))
        _ = try await retrieval.readChunk(at: path)
        for _ in 0..<2 { try await retrieval.deleteChunk(at: path) }
        try await requireRead(path, nil)
        try require(await !retrieval.chunkExists(at: path), "a deleted chunk exists")
        try require(try await retrieval.metadata(at: path) == nil, "a deleted chunk has metadata")
    }

    func metadataIsPreserved() async throws {
        let full = ChunkMetadata(
            size: 5, contentType: "text/plain; charset=utf-8",
            created: Date(timeIntervalSince1970: 1_700_000_000.123), custom: ["né": "a\n\"b\u{0}", "": ""])
        for (number, metadata) in [full, ChunkMetadata(size: 0)].enumerated() {
            let data = samples[number + 2]
            let path = path(number, data)
            try await retrieval.writeChunk(data, at: path, metadata: metadata)
            let found = try await retrieval.metadata(at: path)
            // A retrieval is not required to store metadata, but it must not change it.
            try require(found == nil || found == metadata, "the metadata became \(found as Any)")
        }
    }

    func onlyOneTaskCreatesChunk() async throws {
        let data = samples[2]
        let path = path(1, data)
        let winners = try await concurrently(8) { number in
            let metadata = ChunkMetadata(size: data.count, custom: ["task": "\(number)"])
            return try await retrieval.createChunk(data, at: path, metadata: metadata) ? metadata : nil
        }.compactMap(\.self)
        try require(winners.count == 1, "\(winners.count) of 8 tasks created the same chunk")
        try await requireRead(path, data)
        let found = try await retrieval.metadata(at: path)
        try require(
            found == nil || found == winners.first,
            "the metadata is \(found as Any), which another task gave")
    }

    func allChunksAreListed() async throws {
        var sizes: [String: Int] = [:]
        for (number, data) in samples.enumerated() {
            let path = path(number, data)
            try await retrieval.writeChunk(data, at: path, metadata: ChunkMetadata(size: data.count))
            sizes[path] = data.count
        }
        let chunks: [ListedChunk]
        do {
            chunks = try await retrieval.chunks(in: "")
        } catch ChunkStorageError.unsupported {
            return
        }
        try require(
            Set(chunks.map(\.path)) == Set(sizes.keys) && chunks.count == sizes.count,
            "the list is \(chunks), expected \(sizes.keys.sorted())")
        for chunk in chunks {
            try require(
                chunk.size == nil || chunk.size == sizes[chunk.path],
                "the size of '\(chunk.path)' is listed as \(chunk.size as Any)")
        }
        let folder = String(sizes.keys.first?.prefix { $0 != "/" } ?? "")
        let inFolder = try await retrieval.paths(in: folder)
        try require(
            Set(inFolder) == Set(sizes.keys.filter { $0.hasPrefix(folder + "/") }),
            "the list of '\(folder)' is \(inFolder.sorted())")
    }

    func concurrentTasksLoseNothing() async throws {
        let chunks = (0..<200).map { Data(repeating: UInt8($0), count: 1 + $0 * 7) }
        try await concurrently(chunks.count) { number in
            let path = path(number, chunks[number])
            try await retrieval.writeChunk(chunks[number], at: path, metadata: nil)
            if number % 3 == 0 { try await retrieval.deleteChunk(at: path) }
            _ = try await retrieval.readChunk(at: path)
        }
        for (number, data) in chunks.enumerated() {
            try await requireRead(path(number, data), number % 3 == 0 ? nil : data)
        }
    }

    func readersSeeOnlyCompleteChunks() async throws {
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let path = path(1, data)
        try await concurrently(6) { task in
            for _ in 0..<10 {
                switch task {
                case 0..<3: try await retrieval.writeChunk(data, at: path, metadata: nil)
                case 3: try await retrieval.deleteChunk(at: path)
                default:
                    for _ in 0..<3 {
                        let found = try await retrieval.readChunk(at: path)
                        try require(
                            found == nil || found == data, "a read returned bytes that were never written")
                    }
                }
            }
        }
    }

    func pathsOutsideFolderAreRejected() async throws {
        for path in [
            "", "..", "../out", "/etc/roost-out", "a/../../out", "a//b", "a/", "./a", "a/.", "a\u{0}b",
        ] {
            try await requireError("writing a chunk at '\(path)'", as: ChunkStorageError.self) {
                try await retrieval.writeChunk(Data("x".utf8), at: path, metadata: nil)
            }
        }
    }
}
