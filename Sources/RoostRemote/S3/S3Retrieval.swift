public import Foundation
import HTTPTypes
public import RoostChunks
import RoostFiles

/// A retrieval that stores chunks as objects in an S3-compatible object store, such as Amazon S3, MinIO, Ceph
/// or R2.
///
/// Each object carries the SHA-256 of its contents, which is verified whenever the object is read. Requests
/// that fail for a transient reason are repeated. Writes are atomic and immediately visible to all readers,
/// as S3 has guaranteed since 2020; on a server with weaker guarantees, those of the retrieval are weaker
/// too. A chunk is reported as missing only if the object store reports that the object does not exist. An
/// unreachable server, a missing bucket, and a 404 response from a server that is not an object store are
/// errors.
public final class S3Retrieval: ChunkStorageRetrieval {
    /// The bucket that contains the objects.
    public let bucket: S3Bucket
    private let client: S3Client

    private enum Header {
        static let digest = "x-amz-meta-roost-sha256"
        static let metadata = "x-amz-meta-roost-metadata"
        /// A unique id of the write. It shows that a write succeeded even if the response was lost.
        static let write = "x-amz-meta-roost-write"
    }

    private static let maximumKeyLength = 1024
    /// The maximum size in bytes of an object that can be read, because it is loaded into memory as a whole.
    private static let maximumObjectSize = 4 << 30
    /// The maximum size in bytes of the chunk metadata in Base64. S3 allows 2 KB for all headers of an
    /// object.
    private static let maximumMetadataSize = 1800
    private static let listElements: Set = ["Key", "Size", "IsTruncated", listToken, "EncodingType"]
    private static let listToken = "NextContinuationToken"
    /// The maximum number of pages of a list that are requested. A page has up to a thousand objects.
    private static let maximumPages = 100_000

    /// Creates a retrieval that opens its own connections.
    ///
    /// - Parameter bucket: The bucket that contains the objects.
    public init(_ bucket: S3Bucket) {
        self.bucket = bucket
        client = S3Client(bucket)
    }

    /// Returns the contents of a chunk, or `nil` if it is missing.
    ///
    /// - Throws: `ChunkStorageError`: `.storageUnavailable` if all attempts fail or the server rejects the
    ///   request; `.corrupt` for a checksum mismatch; `.tooLarge` for an object of
    ///   more than 4 GiB.
    public func readChunk(at path: String) async throws -> Data? {
        let request = S3Client.Request(method: .get, key: try key(path), limit: Self.maximumObjectSize)
        let response = try await client.send(request) { response in
            guard response.status == 200, let digest = response.headers[named: Header.digest] else {
                return true
            }
            return SHA256.hexadecimal(response.body) == digest
        }
        if response.status == 200 {
            try requireStore(response)
            return response.body
        }
        if isMissing(response) { return nil }
        throw client.refusal(response, path)
    }

    /// Writes a chunk, replacing any existing chunk at the same path.
    ///
    /// - Throws: `ChunkStorageError`, as for ``readChunk(at:)``, and `.tooLarge` if the metadata exceeds
    ///   1,800 bytes in Base64.
    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        _ = try await write(data, path, metadata, mustBeNew: false)
    }

    /// Writes a chunk if it does not exist yet.
    ///
    /// If several processes create the same chunk at the same time, exactly one succeeds, provided that the
    /// server supports conditional writes (`If-None-Match`).
    ///
    /// - Returns: Whether this call created the chunk.
    /// - Throws: `ChunkStorageError`, as for ``writeChunk(_:at:metadata:)``, and `.unsupported` if the server
    ///   reports that it does not support conditional writes.
    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await write(data, path, metadata, mustBeNew: true)
    }

    public func presence(at path: String) async throws -> Bool {
        // Uses GET instead of HEAD, because only a response with a body shows whether the object or the
        // bucket is missing.
        let response = try await client.send(
            .init(method: .get, key: try key(path), headers: [("range", "bytes=0-0")]))
        if response.status == 206 || response.status == 200 {
            try requireStore(response)
            return true
        }
        // The object exists but is empty, so the requested first byte does not exist.
        if response.status == 416, response.code == "InvalidRange" { return true }
        if isMissing(response) { return false }
        throw client.refusal(response, path)
    }

    public func deleteChunk(at path: String) async throws {
        let response = try await client.send(.init(method: .delete, key: try key(path)))
        if response.status == 204 || response.status == 200 && response.body.isEmpty || isMissing(response) {
            return
        }
        throw client.refusal(response, path)
    }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        guard try await presence(at: path) else { return nil }
        guard let text = try await head(path)?[named: Header.metadata] else { return nil }
        guard let data = Data(base64Encoded: text),
            let metadata = try? JSONDecoder().decode(ChunkMetadata.self, from: data)
        else { throw ChunkStorageError.corrupt(path: path, reason: "invalid metadata header") }
        return metadata
    }

    /// Returns all chunks in a folder and its subfolders, with their sizes if the server reports them.
    ///
    /// - Throws: `ChunkStorageError`; `CancellationError`.
    /// - Complexity: One request per thousand chunks.
    public func chunks(in folder: String) async throws -> [ListedChunk] {
        if !folder.isEmpty { try ChunkPath.check(folder) }
        let base = bucket.prefix.isEmpty ? "" : bucket.prefix + "/"
        var chunks: [ListedChunk] = []
        var token: String?
        var seen = Set<String>()
        repeat {
            var query = [("list-type", "2"), ("encoding-type", "url")]
            query.append(("prefix", base + (folder.isEmpty ? "" : folder + "/")))
            if let token { query.append(("continuation-token", token)) }
            let response = try await client.send(
                .init(method: .get, query: query.map { (name: $0.0, value: $0.1) }))
            guard response.status == 200 else { throw client.refusal(response, folder) }
            guard let page = S3Document(response.body, Self.listElements), page.root == "ListBucketResult",
                let isTruncated = page["IsTruncated"].first
            else { throw noStore() }
            let isEncoded = page["EncodingType"].first?.lowercased() == "url"
            let sizes = page["Size"].count == page["Key"].count ? page["Size"].map { Int($0) } : []
            for (number, text) in page["Key"].enumerated() {
                // Some servers encode a space as a plus sign.
                let name =
                    isEncoded
                    ? text.replacingOccurrences(of: "+", with: "%20").removingPercentEncoding : text
                // Names are compared by their bytes, not by Unicode equivalence.
                guard let name, name.utf8.starts(with: base.utf8),
                    let path = String(name.utf8.dropFirst(base.utf8.count))
                else { throw noStore() }
                // Other programs can store objects whose names are no paths of chunks.
                guard (try? ChunkPath.check(path)) != nil else { continue }
                chunks.append(ListedChunk(path: path, size: sizes.isEmpty ? nil : sizes[number]))
            }
            token = isTruncated == "true" ? page[Self.listToken].first : nil
            if isTruncated == "true", token == nil { throw noStore() }
            // A server that repeats a token, or never ends a listing, would block the caller forever.
            if let token, !seen.insert(token).inserted || seen.count > Self.maximumPages {
                throw ChunkStorageError.storageUnavailable(
                    reason: "\(client.server) repeats pages of the object list or never ends it")
            }
        } while token != nil
        return chunks
    }

    // MARK: Writing

    private func write(
        _ data: Data, _ path: String, _ metadata: ChunkMetadata?, mustBeNew: Bool
    ) async throws -> Bool {
        let key = try key(path)
        let name = UUID().uuidString
        var headers = [(name: Header.digest, value: SHA256.hexadecimal(data)), (Header.write, name)]
        if let metadata {
            let text = try JSONEncoder.canonical.encode(metadata).base64EncodedString()
            guard text.utf8.count <= Self.maximumMetadataSize else {
                throw ChunkStorageError.tooLarge(path: path, limit: Self.maximumMetadataSize)
            }
            headers.append((Header.metadata, text))
        }
        headers.append(("content-type", "application/octet-stream"))
        let condition = mustBeNew ? [(name: "if-none-match", value: "*")] : []
        // Checks for an existing object first, because a server without conditional writes would overwrite
        // it.
        if mustBeNew, try await presence(at: path) { return false }
        let response = try await client.send(
            .init(method: .put, key: key, headers: headers + condition, body: data))
        if response.status == 412 {
            // The object may come from an earlier attempt of this write, whose response was lost.
            guard response.attempts > 1 else { return false }
            return try await head(path)?[named: Header.write] == name
        }
        guard response.status == 200 || response.status == 204 else { throw client.refusal(response, path) }
        try requireStore(response)
        return true
    }

    private func head(_ path: String) async throws -> HTTPFields? {
        let response = try await client.send(.init(method: .head, key: try key(path)))
        if response.status == 200 { return response.headers }
        if response.status == 404 { return nil }
        throw client.refusal(response, path)
    }

    // MARK: Names and responses

    private func key(_ path: String) throws -> String {
        try ChunkPath.check(path)
        let key = bucket.prefix.isEmpty ? path : bucket.prefix + "/" + path
        guard key.utf8.count <= Self.maximumKeyLength else { throw ChunkStorageError.invalidPath(path) }
        return key
    }

    private func isMissing(_ response: S3Client.Response) -> Bool {
        response.status == 404 && response.code == "NoSuchKey"
    }

    /// Checks that a response comes from an object store, rather than from, for example, the login page of a
    /// public network.
    private func requireStore(_ response: S3Client.Response) throws {
        guard response.headers.contains(.eTag) else { throw noStore() }
    }

    private func noStore() -> ChunkStorageError {
        .storageUnavailable(reason: "\(client.server) responds, but is not an object store")
    }
}
