import Foundation
public import RoostChunks

/// What every existence must do, beside the storage whose chunks it asks for. One law is one test case.
public enum ChunkExistenceLaw: String, Sendable, CaseIterable {
    case whatIsWrittenExists
    case whatIsDeletedDoesNot
    case aBatchSaysWhatEachSays
    case manyAreOnePass

    /// - Parameter storage: without chunks, and with an existence.
    /// - Throws: ``ChunkLawViolation``, or what the storage threw.
    public func check(_ storage: any ChunkStorageComposable) async throws {
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
            if !condition { throw ChunkLawViolation(law: rawValue, message: message()) }
        }
        guard let existence = storage.existence else {
            throw ChunkLawViolation(law: rawValue, message: "the storage has no existence")
        }
        let names = ChunkOrganizationLaw.identifiers
        let data = Data("x".utf8)
        switch self {
        case .whatIsWrittenExists, .whatIsDeletedDoesNot:
            for name in names {
                try require(await !existence.chunkExists(identifier: name), "'\(name)' exists already")
                try await storage.writeChunk(data, identifier: name, metadata: nil)
                try require(await existence.chunkExists(identifier: name), "'\(name)' was written")
                try require(
                    try await existence.presence(of: name), "'\(name)' was written and is not present")
            }
            guard self == .whatIsDeletedDoesNot else { return }
            for name in names {
                try await storage.deleteChunk(name)
                try require(await !existence.chunkExists(identifier: name), "'\(name)' was deleted")
                try require(try await !existence.presence(of: name), "'\(name)' was deleted and is present")
            }
        case .aBatchSaysWhatEachSays:
            for (number, name) in names.enumerated() where number % 2 == 0 {
                try await storage.writeChunk(data, identifier: name, metadata: nil)
            }
            // One twice, and one that nobody wrote.
            let asked = names + names.prefix(3) + [ChunkIdentifier(id: "never")]
            let batch = await existence.chunkExists(identifiers: asked)
            try require(batch == (try await existence.presence(of: asked)), "the two batches differ")
            try require(batch.count == Set(asked).count, "\(batch.count) answers")
            for name in asked {
                try require(
                    batch[name] == (await existence.chunkExists(identifier: name)), "'\(name)' in a batch")
            }
            try require(await existence.chunkExists(identifiers: []).isEmpty, "no question has an answer")
        case .manyAreOnePass:
            let many = (0..<3000).map { ChunkIdentifier(hashing: Data("\($0)".utf8)) }
            for name in many.prefix(500) {
                try await storage.writeChunk(data, identifier: name, metadata: nil)
            }
            let found = try await storage.chunksExist(many)
            try require(found.count == many.count && found.count { $0.value } == 500, "a batch of many")
            try require(many.prefix(500).allSatisfy { found[$0] == true }, "those that were written")
        }
    }
}
