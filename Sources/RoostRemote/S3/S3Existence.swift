public import RoostChunks

/// Which chunks are in an object store, as ``S3Retrieval`` puts them there.
///
/// One chunk is asked for by its name; of many, the outermost folders that they would be in are listed, a
/// thousand names a request.
public struct S3Existence: ChunkStorageExistence {
    public let organization: any ChunkStorageOrganization
    private let retrieval: S3Retrieval

    /// Of so few in a folder, each is asked for by itself.
    private static let fewest = 2
    private static let requestsAtOnce = 8

    public init(organization: any ChunkStorageOrganization, bucket: S3Bucket) {
        self.init(organization: organization, retrieval: S3Retrieval(bucket))
    }

    /// - Parameter retrieval: whose connections are used.
    public init(organization: any ChunkStorageOrganization, retrieval: S3Retrieval) {
        (self.organization, self.retrieval) = (organization, retrieval)
    }

    public func chunkExists(identifier: ChunkIdentifier) async -> Bool {
        (try? await presence(of: identifier)) ?? false
    }

    /// Where the store cannot be asked, its chunks are said not to be there.
    public func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        let possible = identifiers.filter { (try? path(of: $0)) != nil }
        let found = try? await presence(of: possible)
        return Dictionary(identifiers.map { ($0, found?[$0] ?? false) }) { first, _ in first }
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        try await retrieval.presence(at: path(of: identifier))
    }

    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        var folders: [String: [(path: String, identifier: ChunkIdentifier)]] = [:]
        var result = [ChunkIdentifier: Bool](minimumCapacity: identifiers.count)
        for identifier in identifiers where result.updateValue(false, forKey: identifier) == nil {
            let path = try path(of: identifier)
            // What is in folders of a folder is listed with it.
            let folder = path.firstIndex(of: "/").map { String(path[..<$0]) } ?? ""
            folders[folder, default: []].append((path, identifier))
        }
        try await withThrowingTaskGroup(of: [ChunkIdentifier].self) { group in
            var waiting = folders.makeIterator()
            func addNext() {
                guard let (folder, wanted) = waiting.next() else { return }
                group.addTask { try await present(wanted, in: folder) }
            }
            for _ in 0..<Self.requestsAtOnce { addNext() }
            while let found = try await group.next() {
                for identifier in found { result[identifier] = true }
                addNext()
            }
        }
        return result
    }

    private func present(
        _ wanted: [(path: String, identifier: ChunkIdentifier)], in folder: String
    ) async throws -> [ChunkIdentifier] {
        guard wanted.count > Self.fewest else {
            var found: [ChunkIdentifier] = []
            for (path, identifier) in wanted where try await retrieval.presence(at: path) {
                found.append(identifier)
            }
            return found
        }
        let listed = Set(try await retrieval.paths(in: folder))
        return wanted.filter { listed.contains($0.path) }.map(\.identifier)
    }

    private func path(of identifier: ChunkIdentifier) throws -> String {
        let path = organization.storagePath(for: identifier)
        guard !identifier.id.isEmpty, organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        return path
    }
}
