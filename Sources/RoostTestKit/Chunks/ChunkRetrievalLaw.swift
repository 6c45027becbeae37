public import Foundation
public import RoostChunks

/// What every retrieval, and every decorator over one, must do. One law is one test case:
///
///     @Test(arguments: ChunkRetrievalLaw.allCases)
///     func `my retrieval obeys`(law: ChunkRetrievalLaw) async throws {
///         try await law.check(MyRetrieval())
///     }
public enum ChunkRetrievalLaw: String, Sendable, CaseIterable {
    case whatIsWrittenIsRead
    case whatIsMissingIsNoError
    case writingReplaces
    case whatIsDeletedIsGone
    case metadataComeBack
    /// A retrieval that leaves `createChunk` to its default does not promise it.
    case oneOfManyCreates
    case allIsListed
    case manyTasksLoseNothing
    case readersNeverSeeAPart
    case pathsThatLeadOutAreRefused

    /// Tries the law on a retrieval without chunks.
    ///
    /// - Parameters:
    ///   - retrieval: fresh for each law.
    ///   - path: the path of a chunk with given bytes; the default is a name of the number that a law gives.
    ///     A retrieval that compares names with bytes needs those of its organization.
    /// - Throws: ``ChunkLawViolation``, or what the retrieval threw.
    public func check(
        _ retrieval: any ChunkStorageRetrieval,
        path: @Sendable (_ number: Int, _ data: Data) -> String = { number, _ in "ab/chunk-\(number)" }
    ) async throws {
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
            if !condition { throw ChunkLawViolation(law: rawValue, message: message()) }
        }
        func requireRead(_ path: String, _ expected: Data?) async throws {
            let found = try await retrieval.readChunk(at: path)
            try require(
                found == expected,
                "'\(path)' has \(found.map { "\($0.count) bytes" } ?? "nothing") where "
                    + "\(expected.map { "\($0.count) bytes" } ?? "nothing") were written")
        }
        switch self {
        case .whatIsWrittenIsRead:
            for (number, data) in Self.samples.enumerated() {
                let path = path(number, data)
                try await retrieval.writeChunk(data, at: path, metadata: nil)
                try await requireRead(path, data)
                try require(await retrieval.chunkExists(at: path), "'\(path)' was written and does not exist")
                try require(
                    try await retrieval.presence(at: path), "'\(path)' was written and is not present")
            }
            for (number, data) in Self.samples.enumerated() {
                try await requireRead(path(number, data), data)
            }
        case .whatIsMissingIsNoError:
            let path = path(1, Data("none".utf8))
            try await requireRead(path, nil)
            try require(await !retrieval.chunkExists(at: path), "what was never written exists")
            try require(try await !retrieval.presence(at: path), "what was never written is present")
            try require(try await retrieval.metadata(at: path) == nil, "what was never written has metadata")
            try await retrieval.deleteChunk(at: path)
        case .writingReplaces:
            let (data, metadata) = (Self.samples[2], ChunkMetadata(size: 3, custom: ["a": "b"]))
            let path = path(1, data)
            for _ in 0..<2 { try await retrieval.writeChunk(data, at: path, metadata: metadata) }
            try await requireRead(path, data)
            try await retrieval.writeChunk(data, at: path, metadata: nil)
            try await requireRead(path, data)
            try require(
                try await retrieval.metadata(at: path) == nil, "a chunk has the metadata of the one before it"
            )
        case .whatIsDeletedIsGone:
            let data = Self.samples[2]
            let path = path(1, data)
            try await retrieval.writeChunk(data, at: path, metadata: ChunkMetadata(size: data.count))
            _ = try await retrieval.readChunk(at: path)
            for _ in 0..<2 { try await retrieval.deleteChunk(at: path) }
            try await requireRead(path, nil)
            try require(await !retrieval.chunkExists(at: path), "a deleted chunk exists")
            try require(try await retrieval.metadata(at: path) == nil, "a deleted chunk has metadata")
        case .metadataComeBack:
            let full = ChunkMetadata(
                size: 5, contentType: "text/plain; charset=utf-8",
                created: Date(timeIntervalSince1970: 1_700_000_000.123),
                custom: ["né": "a\n\"b\u{0}", "": ""])
            for (number, metadata) in [full, ChunkMetadata(size: 0)].enumerated() {
                let data = Self.samples[number + 2]
                let path = path(number, data)
                try await retrieval.writeChunk(data, at: path, metadata: metadata)
                let found = try await retrieval.metadata(at: path)
                // Keeping none is allowed; keeping others is not.
                try require(found == nil || found == metadata, "metadata came back as \(found as Any)")
            }
        case .oneOfManyCreates:
            let data = Self.samples[2]
            let path = path(1, data)
            let created = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await retrieval.createChunk(data, at: path, metadata: nil) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try require(created == 1, "\(created) of 8 created the same chunk")
            try await requireRead(path, data)
        case .allIsListed:
            var expected = Set<String>()
            for (number, data) in Self.samples.enumerated() {
                let path = path(number, data)
                try await retrieval.writeChunk(data, at: path, metadata: ChunkMetadata(size: data.count))
                expected.insert(path)
            }
            let listed: [String]
            do {
                listed = try await retrieval.paths(in: "")
            } catch ChunkStorageError.unsupported {
                return
            }
            try require(
                listed.count == expected.count && Set(listed) == expected,
                "\(listed.sorted()) are listed, not \(expected.sorted())")
            let folder = String(expected.first?.prefix { $0 != "/" } ?? "")
            let below = try await retrieval.paths(in: folder)
            try require(
                Set(below) == expected.filter { $0.hasPrefix(folder + "/") },
                "in '\(folder)': \(below.sorted())")
        case .manyTasksLoseNothing:
            let chunks = (0..<200).map { ($0, Data(repeating: UInt8($0), count: 1 + $0 * 7)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, data) in chunks {
                    let path = path(number, data)
                    group.addTask {
                        try await retrieval.writeChunk(data, at: path, metadata: nil)
                        if number % 3 == 0 { try await retrieval.deleteChunk(at: path) }
                        _ = try await retrieval.readChunk(at: path)
                    }
                }
                try await group.waitForAll()
            }
            for (number, data) in chunks {
                try await requireRead(path(number, data), number % 3 == 0 ? nil : data)
            }
        case .readersNeverSeeAPart:
            let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let path = path(1, data)
            let parts = try await withThrowingTaskGroup(of: Int.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 {
                            if writer == 3 {
                                try await retrieval.deleteChunk(at: path)
                            } else {
                                try await retrieval.writeChunk(data, at: path, metadata: nil)
                            }
                        }
                        return 0
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        var parts = 0
                        for _ in 0..<30 {
                            let found = try await retrieval.readChunk(at: path)
                            if found != nil, found != data { parts += 1 }
                        }
                        return parts
                    }
                }
                return try await group.reduce(0, +)
            }
            try require(parts == 0, "\(parts) reads gave something that was never written")
        case .pathsThatLeadOutAreRefused:
            for path in [
                "", "..", "../out", "/etc/roost-out", "a/../../out", "a//b", "a/", "./a", "a/.", "a\u{0}b",
            ] {
                do {
                    try await retrieval.writeChunk(Data("x".utf8), at: path, metadata: nil)
                } catch is ChunkStorageError {
                    continue
                }
                throw ChunkLawViolation(law: rawValue, message: "a chunk was written at '\(path)'")
            }
        }
    }

    /// Bytes that make trouble.
    public static let samples: [Data] = [
        Data(), Data([0]), Data("abc".utf8), Data(repeating: 7, count: 100_000),
        Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 2_654_435_761 >> 13) }),
        Data("RCZ1".utf8), Data("RCE1".utf8) + Data(count: 40),
    ]
}
