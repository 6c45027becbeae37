public import RoostChunks

/// Checks which chunks exist in an object store to which ``S3Retrieval`` writes.
///
/// To check a single chunk, it requests the chunk by name. To check many chunks, it lists the top-level
/// folders in which they would be stored, a thousand names per request.
public struct S3Existence: ChunkStorageExistence {
    /// The mapping of identifiers to paths.
    public let organization: any ChunkStorageOrganization
    private let retrieval: S3Retrieval

    /// The maximum number of chunks per folder that are requested separately. If there are more, the folder
    /// is listed instead.
    private static let maximumSeparateRequests = 2
    private static let concurrentRequests = 8

    /// Creates a check that opens its own connections.
    ///
    /// - Parameters:
    ///   - organization: The mapping of identifiers to paths.
    ///   - bucket: The object store.
    public init(organization: any ChunkStorageOrganization, bucket: S3Bucket) {
        self.init(organization: organization, retrieval: S3Retrieval(bucket))
    }

    /// Creates a check that shares the connections of a retrieval.
    ///
    /// - Parameters:
    ///   - organization: The mapping of identifiers to paths.
    ///   - retrieval: The retrieval that accesses the object store.
    public init(organization: any ChunkStorageOrganization, retrieval: S3Retrieval) {
        (self.organization, self.retrieval) = (organization, retrieval)
    }

    /// Returns whether a chunk exists. The result is `false` if the object store cannot be reached.
    public func chunkExists(identifier: ChunkIdentifier) async -> Bool {
        (try? await presence(of: identifier)) ?? false
    }

    /// Returns which of the chunks exist. If the object store cannot be reached, all are reported as missing.
    public func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        let possible = identifiers.filter { (try? path(of: $0)) != nil }
        let found = try? await presence(of: possible)
        return Dictionary(identifiers.map { ($0, found?[$0] ?? false) }) { first, _ in first }
    }

    /// Returns whether a chunk exists.
    ///
    /// - Throws: `ChunkStorageError`; `CancellationError`.
    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        try await retrieval.presence(at: path(of: identifier))
    }

    /// Returns which of the chunks exist.
    ///
    /// - Throws: `ChunkStorageError`; `CancellationError`.
    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        var folders: [String: [(path: String, identifier: ChunkIdentifier)]] = [:]
        var result = [ChunkIdentifier: Bool](minimumCapacity: identifiers.count)
        for identifier in identifiers where result.updateValue(false, forKey: identifier) == nil {
            let path = try path(of: identifier)
            // Listing a folder includes its subfolders.
            let folder = path.firstIndex(of: "/").map { String(path[..<$0]) } ?? ""
            folders[folder, default: []].append((path, identifier))
        }
        try await withThrowingTaskGroup(of: [ChunkIdentifier].self) { group in
            var waiting = folders.makeIterator()
            func addNext() {
                guard let (folder, chunks) = waiting.next() else { return }
                group.addTask { try await existing(chunks, in: folder) }
            }
            for _ in 0..<Self.concurrentRequests { addNext() }
            while let found = try await group.next() {
                for identifier in found { result[identifier] = true }
                addNext()
            }
        }
        return result
    }

    /// Returns which of the given chunks exist in a folder.
    private func existing(
        _ chunks: [(path: String, identifier: ChunkIdentifier)], in folder: String
    ) async throws -> [ChunkIdentifier] {
        guard chunks.count > Self.maximumSeparateRequests else {
            var found: [ChunkIdentifier] = []
            for (path, identifier) in chunks where try await retrieval.presence(at: path) {
                found.append(identifier)
            }
            return found
        }
        let listed = Set(try await retrieval.paths(in: folder))
        return chunks.filter { listed.contains($0.path) }.map(\.identifier)
    }

    private func path(of identifier: ChunkIdentifier) throws -> String {
        let path = organization.storagePath(for: identifier)
        guard !identifier.id.isEmpty, organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        return path
    }
}
