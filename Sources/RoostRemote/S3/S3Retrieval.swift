import Crypto
public import Foundation
import NIOHTTP1
public import RoostChunks

/// Chunks as objects of an S3-compatible object store: Amazon S3, MinIO, Ceph, R2 and others.
///
/// Each object has the SHA-256 of its bytes with it, and what is read is compared with it. Requests that fail
/// for a passing reason are sent again. Objects become visible whole, and for all at once, as S3 has it since
/// 2020; a retrieval over a server that promises less promises less. What one says is missing is only
/// what the server says is missing: a server that cannot be asked, a bucket that is not there, or a 404 of
/// somebody else, are errors.
public final class S3Retrieval: ChunkStorageRetrieval {
    public let bucket: S3Bucket
    private let client: S3Client

    /// The names of a chunk's own headers.
    private enum Header {
        static let digest = "x-amz-meta-roost-sha256"
        static let metadata = "x-amz-meta-roost-metadata"
        /// Names one write, so that it can be told whether it was carried out where the answer was lost.
        static let write = "x-amz-meta-roost-write"
    }

    /// S3 takes names of at most so many bytes, and so many bytes of metadata.
    private static let (longestKey, mostMetadata) = (1024, 1800)
    private static let mostParts = 10_000
    private static let smallestPart = 5 << 20
    /// How many parts of a large object are sent at a time.
    private static let partsAtOnce = 4

    public init(_ bucket: S3Bucket) {
        self.bucket = bucket
        client = S3Client(bucket)
    }

    /// - Throws: ``ChunkStorageError``: `.storageUnavailable` after all tries, and for what the server
    ///   refuses; `.corrupt` where the bytes are not those that were written; `.tooLarge`.
    public func readChunk(at path: String) async throws -> Data? {
        let request = S3Client.Request(method: .GET, key: try key(path), limit: bucket.largestObject)
        let answer = try await client.send(request) { answer in
            guard answer.status == 200, let digest = answer.headers.first(name: Header.digest) else {
                return true
            }
            return SignatureV4.digest(answer.body) == digest
        }
        if answer.status == 200 {
            try requireStore(answer)
            return answer.body
        }
        if isMissing(answer) { return nil }
        throw client.refusal(answer, path)
    }

    /// - Throws: ``ChunkStorageError``, as ``readChunk(at:)``; `.tooLarge` for metadata of more than 1,800
    ///   bytes in base 64.
    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        _ = try await write(data, path, metadata, mustBeNew: false)
    }

    /// Of several at once one succeeds, on servers that know conditional writes (`If-None-Match`).
    ///
    /// - Throws: as ``writeChunk(_:at:metadata:)``; ``ChunkStorageError/unsupported(_:)`` on servers that say
    ///   that they do not know them.
    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await write(data, path, metadata, mustBeNew: true)
    }

    public func chunkExists(at path: String) async -> Bool { (try? await presence(at: path)) ?? false }

    public func presence(at path: String) async throws -> Bool {
        // An answer to HEAD has no body, so that it could not be told what is missing, object or bucket.
        let answer = try await client.send(
            .init(method: .GET, key: try key(path), headers: [("range", "bytes=0-0")]))
        if answer.status == 206 || answer.status == 200 {
            try requireStore(answer)
            return true
        }
        // It has no first byte.
        if answer.status == 416, answer.code == "InvalidRange" { return true }
        if isMissing(answer) { return false }
        throw client.refusal(answer, path)
    }

    public func deleteChunk(at path: String) async throws {
        let answer = try await client.send(.init(method: .DELETE, key: try key(path)))
        if answer.status == 204 || answer.status == 200 && answer.body.isEmpty || isMissing(answer) { return }
        throw client.refusal(answer, path)
    }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        guard try await presence(at: path) else { return nil }
        guard let text = try await head(path)?.first(name: Header.metadata) else { return nil }
        guard let data = Data(base64Encoded: text),
            let metadata = try? JSONDecoder().decode(ChunkMetadata.self, from: data)
        else { throw ChunkStorageError.corrupt(path: path, reason: "its metadata cannot be read") }
        return metadata
    }

    /// - Complexity: one request for a thousand chunks.
    public func paths(in folder: String) async throws -> [String] {
        if !folder.isEmpty { try ChunkPath.check(folder) }
        let base = bucket.prefix.isEmpty ? "" : bucket.prefix + "/"
        var paths: [String] = []
        var token: String?
        repeat {
            var query = [("list-type", "2"), ("encoding-type", "url")]
            query.append(("prefix", base + (folder.isEmpty ? "" : folder + "/")))
            if let token { query.append(("continuation-token", token)) }
            let answer = try await client.send(
                .init(method: .GET, query: query.map { (name: $0.0, value: $0.1) }))
            guard answer.status == 200 else { throw client.refusal(answer, folder) }
            guard
                let page = S3Document(
                    answer.body, ["Key", "IsTruncated", "NextContinuationToken", "EncodingType"]),
                page.root == "ListBucketResult", let isTruncated = page["IsTruncated"].first
            else { throw noStore() }
            let isEncoded = page["EncodingType"].first?.lowercased() == "url"
            for text in page["Key"] {
                // Spaces may be pluses in what is said to be a URL.
                let name =
                    isEncoded
                    ? text.replacingOccurrences(of: "+", with: "%20").removingPercentEncoding : text
                guard let name, name.hasPrefix(base) else { throw noStore() }
                let path = String(name.dropFirst(base.count))
                if (try? ChunkPath.check(path)) != nil { paths.append(path) }
            }
            token = isTruncated == "true" ? page["NextContinuationToken"].first : nil
            if isTruncated == "true", token == nil { throw noStore() }
        } while token != nil
        return paths
    }

    /// Gives up uploads in parts that did not come to their end.
    public func removeLeftovers(in folder: String) async throws {
        if !folder.isEmpty { try ChunkPath.check(folder) }
        let base = bucket.prefix.isEmpty ? "" : bucket.prefix + "/"
        let prefix = base + (folder.isEmpty ? "" : folder + "/")
        var given = Set<String>()
        while true {
            let answer = try await client.send(
                .init(method: .GET, query: [("uploads", ""), ("prefix", prefix)]))
            guard answer.status == 200 else { throw client.refusal(answer, folder) }
            guard let page = S3Document(answer.body, ["Key", "UploadId"]),
                page.root == "ListMultipartUploadsResult"
            else { throw noStore() }
            let uploads = zip(page["Key"], page["UploadId"]).filter {
                $0.hasPrefix(prefix) && given.insert($1).inserted
            }
            if uploads.isEmpty { return }
            for (key, upload) in uploads {
                let gone = try await client.send(
                    .init(method: .DELETE, key: key, query: [("uploadId", upload)]))
                guard gone.status == 204 || gone.status == 200 || gone.code == "NoSuchUpload" else {
                    throw client.refusal(gone, key)
                }
            }
        }
    }

    // MARK: Writing

    private func write(
        _ data: Data, _ path: String, _ metadata: ChunkMetadata?, mustBeNew: Bool
    ) async throws -> Bool {
        let key = try key(path)
        let name = UUID().uuidString
        var headers = [(name: Header.digest, value: SignatureV4.digest(data)), (Header.write, name)]
        if let metadata {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let text = try encoder.encode(metadata).base64EncodedString()
            guard text.utf8.count <= Self.mostMetadata else {
                throw ChunkStorageError.tooLarge(path: path, limit: Self.mostMetadata)
            }
            headers.append((Header.metadata, text))
        }
        headers.append(("content-type", "application/octet-stream"))
        let condition = mustBeNew ? [(name: "if-none-match", value: "*")] : []
        // Asked first: a server that does not know conditions would write over what is there.
        if mustBeNew, try await presence(at: path) { return false }
        if data.count > max(bucket.partSize, Self.smallestPart) {
            return try await writeInParts(data, path, key, headers, condition)
        }
        let answer = try await client.send(
            .init(method: .PUT, key: key, headers: headers + condition, body: data))
        if answer.status == 412 { return try await isOurs(path, answer, name) }
        guard answer.status == 200 || answer.status == 204 else { throw client.refusal(answer, path) }
        try requireStore(answer)
        return true
    }

    /// Whether the object that is in the way is what an earlier try wrote, the answer to which was lost.
    private func isOurs(_ path: String, _ answer: S3Client.Answer, _ name: String) async throws -> Bool {
        guard answer.attempts > 1 else { return false }
        return try await head(path)?.first(name: Header.write) == name
    }

    private func head(_ path: String) async throws -> HTTPHeaders? {
        let answer = try await client.send(.init(method: .HEAD, key: try key(path)))
        if answer.status == 200 { return answer.headers }
        if answer.status == 404 { return nil }
        throw client.refusal(answer, path)
    }

    private func writeInParts(
        _ data: Data, _ path: String, _ key: String, _ headers: [(name: String, value: String)],
        _ condition: [(name: String, value: String)]
    ) async throws -> Bool {
        let begun = try await client.send(
            .init(method: .POST, key: key, query: [("uploads", "")], headers: headers))
        guard begun.status == 200 else { throw client.refusal(begun, path) }
        guard let upload = S3Document(begun.body, ["UploadId"])?["UploadId"].first, !upload.isEmpty else {
            throw noStore()
        }
        do {
            let tags = try await writeParts(data, path, key, upload)
            let isOurs = try await complete(tags, path, key, upload, headers, condition)
            if !isOurs { await giveUp(upload, key) }
            return isOurs
        } catch {
            await giveUp(upload, key)
            throw error
        }
    }

    /// Parts that stay are paid for until a rule of the bucket removes them.
    private func giveUp(_ upload: String, _ key: String) async {
        let client = client
        await Task {
            _ = try? await client.send(.init(method: .DELETE, key: key, query: [("uploadId", upload)]))
        }.value
    }

    /// - Returns: the tags of the parts, in their order.
    private func writeParts(
        _ data: Data, _ path: String, _ key: String, _ upload: String
    ) async throws -> [String] {
        let size = max(
            bucket.partSize, Self.smallestPart, (data.count + Self.mostParts - 1) / Self.mostParts)
        let starts = Array(stride(from: 0, to: data.count, by: size))
        struct Part: Sendable {
            var number: Int
            var tag: String
        }
        var tags = [String](repeating: "", count: starts.count)
        try await withThrowingTaskGroup(of: Part.self) { group in
            func add(_ number: Int) {
                let start = data.startIndex + starts[number]
                let body = data[start..<min(data.endIndex, start + size)]
                group.addTask { [client] in
                    let answer = try await client.send(
                        .init(
                            method: .PUT, key: key,
                            query: [("partNumber", "\(number + 1)"), ("uploadId", upload)], body: body))
                    guard answer.status == 200 else { throw client.refusal(answer, path) }
                    guard let tag = answer.headers.first(name: "ETag") else { throw self.noStore() }
                    return Part(number: number, tag: tag)
                }
            }
            for number in starts.indices.prefix(Self.partsAtOnce) { add(number) }
            var next = min(Self.partsAtOnce, starts.count)
            while let part = try await group.next() {
                tags[part.number] = part.tag
                if next < starts.count { add(next) }
                next += 1
            }
        }
        return tags
    }

    private func complete(
        _ tags: [String], _ path: String, _ key: String, _ upload: String,
        _ headers: [(name: String, value: String)], _ condition: [(name: String, value: String)]
    ) async throws -> Bool {
        let parts = tags.enumerated().map { number, tag in
            let plain = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
                .reduce(tag) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
            return "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(plain)</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let answer = try await client.send(
            .init(
                method: .POST, key: key, query: [("uploadId", upload)], headers: condition,
                body: Data(body.utf8)))
        let name = headers.first { $0.name == Header.write }?.value ?? ""
        // An error may come with status 200, after minutes of blanks that keep the connection open.
        if answer.status == 200, answer.code.isEmpty {
            guard S3Document(answer.body, [])?.root == "CompleteMultipartUploadResult" else {
                throw noStore()
            }
            return true
        }
        if answer.status == 412 { return try await isOurs(path, answer, name) }
        if answer.code == "NoSuchUpload", answer.attempts > 1,
            try await head(path)?.first(name: Header.write) == name
        {
            return true
        }
        throw client.refusal(answer, path)
    }

    // MARK: Names and answers

    private func key(_ path: String) throws -> String {
        try ChunkPath.check(path)
        let key = bucket.prefix.isEmpty ? path : bucket.prefix + "/" + path
        guard key.utf8.count <= Self.longestKey else { throw ChunkStorageError.invalidPath(path) }
        return key
    }

    /// Whether the server says that there is no such object.
    private func isMissing(_ answer: S3Client.Answer) -> Bool {
        answer.status == 404 && answer.code == "NoSuchKey"
    }

    /// What every object store says of an object; a page that asks for a password does not.
    private func requireStore(_ answer: S3Client.Answer) throws {
        guard answer.headers.contains(name: "ETag") else { throw noStore() }
    }

    private func noStore() -> ChunkStorageError {
        .storageUnavailable(reason: "\(client.place) answers, but not as an object store does")
    }
}
