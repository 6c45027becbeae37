import AsyncHTTPClient
import Crypto
public import Foundation
import NIOCore
import NIOHTTP1
import RoostFiles
import RoostModel

/// Where models are fetched from: a server with the paths of Hugging Face's hub.
///
/// - `GET /api/models/REPO/tree/REVISION?recursive=true`: the files, with sizes and checksums.
/// - `GET /REPO/resolve/REVISION/FILE`: a file, or a redirection to it.
public struct ModelHub: Sendable {
    public let address: URL
    /// Sent to the hub itself as a bearer token, not to where it redirects.
    public let token: Secret?
    private let environment: [String: String]
    /// How often a file is gone on with after a failure of the network.
    var attempts = 5
    var pause = Duration.seconds(1)

    /// The hub that is asked where the user names none.
    public static let defaultAddress = "https://huggingface.co"

    /// - Throws: ``EmbedderError`` with `.configuration` for an address that is none.
    public init(
        address: String = defaultAddress, token: Secret? = nil, environment: [String: String] = [:]
    ) throws {
        self.address = try RemoteModel(endpoint: address, name: "hub", key: token).endpoint
        self.token = token
        self.environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
    }

    /// A file of a repository.
    private struct Item: Decodable {
        struct LargeFile: Decodable {
            var oid: String
            var size: Int
        }
        var type: String
        var path: String
        var size: Int
        /// Of a Git blob: SHA-1 over `blob SIZE\0` and the bytes.
        var oid: String
        /// Of a large file: SHA-256 over the bytes.
        var lfs: LargeFile?

        var length: Int { lfs?.size ?? size }
    }

    /// Whether a name can be a repository's: one or two parts of letters, digits, `.`, `-` and `_`.
    public static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count)
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 96
                    && part.utf8.allSatisfy {
                        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0
                            || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || ".-_".utf8.contains($0)
                    }
            }
    }

    /// Fetches a model's files into a folder. What is there already and right is kept; what was begun goes
    /// on.
    ///
    /// A file has its name only when it is whole and its checksum is the hub's.
    /// - Parameters:
    ///   - name: the repository, such as `sentence-transformers/all-MiniLM-L6-v2`.
    ///   - files: the files that are wanted; those that the repository does not have are left out.
    ///   - progress: called with the bytes that are there and those that there will be.
    /// - Throws: ``EmbedderError``; `CancellationError`. What has come stays, to be gone on with.
    public func fetch(
        _ name: String, revision: String = "main", files: [String], into folder: URL,
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws {
        guard Self.isName(name), Self.isName(revision) else {
            throw EmbedderError(.configuration, "'\(name.prefix(80))' is no name of a model on a hub")
        }
        var configuration = HTTPClient.Configuration()
        // Headers that are for the hub alone are dropped where the host changes.
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.read = .seconds(60)
        configuration.proxy = RemoteTransport.proxy(for: address, environment)
        let client = HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        do {
            let wanted = try await items(of: name, revision, client).filter {
                $0.type == "file" && files.contains($0.path)
            }
            guard wanted.contains(where: { $0.path == "model.safetensors" }) else {
                throw EmbedderError(
                    .unsupportedModel, "\(name) has no model.safetensors, which is the form that is read")
            }
            let total = wanted.reduce(0) { $0 + $1.length }
            var before = 0
            for item in wanted {
                let start = before
                try await fetch(item, name, revision, into: folder, client) { progress(start + $0, total) }
                before += item.length
            }
        } catch {
            try? await client.shutdown()
            throw error
        }
        try? await client.shutdown()
    }

    // MARK: Requests

    private func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address.absoluteString + path)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token.text)") }
        return request
    }

    private func items(of name: String, _ revision: String, _ client: HTTPClient) async throws -> [Item] {
        let request = request("/api/models/\(name)/tree/\(revision)?recursive=true")
        let (status, data): (UInt, Data) = try await trying {
            let response = try await client.execute(request, deadline: .distantFuture)
            let body = try await response.body.collect(upTo: 16 << 20)
            return (response.status.code, Data(body.readableBytesView))
        }
        guard status == 200 else { throw refusal(status, name) }
        do {
            return try JSONDecoder().decode([Item].self, from: data)
        } catch {
            throw EmbedderError(.badAnswer, "the answer of \(place) is not a list of files")
        }
    }

    private var place: String { "the hub at \(address.host ?? "")" }

    private func refusal(_ status: UInt, _ what: String) -> EmbedderError {
        switch status {
        case 401, 403, 404:
            EmbedderError(
                .refused, "\(place) has no \(what), or does not show it to you: status \(status)")
        default:
            EmbedderError(
                .unavailable, "\(place) answers with status \(status)",
                isRetryable: status >= 500 || status == 429)
        }
    }

    /// Does something again after a failure of the network or of the moment.
    private func trying<Result>(_ body: () async throws -> Result) async throws -> Result {
        var attempt = 1
        while true {
            try Task.checkCancellation()
            do {
                return try await body()
            } catch let error as EmbedderError where !error.isRetryable {
                throw error
            } catch let error as FileError {
                throw EmbedderError(.badOutput, error.description)
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                guard attempt < attempts else {
                    if let error = error as? EmbedderError { throw error }
                    let reason =
                        (error as? HTTPClientError)?.description ?? String(describing: type(of: error))
                    throw EmbedderError(
                        .unavailable,
                        "\(place) cannot be reached (\(reason)); what has come stays, try again",
                        isRetryable: true)
                }
                try await Task.sleep(for: pause * attempt)
                attempt += 1
            }
        }
    }

    // MARK: One file

    private func fetch(
        _ item: Item, _ name: String, _ revision: String, into folder: URL, _ client: HTTPClient,
        progress: @Sendable (Int) -> Void
    ) async throws {
        let target = folder.appendingPathComponent(item.path)
        if try Self.matches(target, item) { return progress(item.length) }
        do {
            try FileSystem.standard.createFolder(target.deletingLastPathComponent())
        } catch let error as FileError {
            throw EmbedderError(.badOutput, error.description)
        }
        let part = target.appendingPathExtension("part")
        try await trying {
            try await self.load(
                item, "/\(name)/resolve/\(revision)/\(item.path)", into: part, client, progress)
        }
        guard try Self.matches(part, item) else {
            try? FileManager.default.removeItem(at: part)
            throw EmbedderError(
                .badAnswer,
                "\(item.path) of \(name) came with another checksum than \(place) states; it is not kept")
        }
        do {
            try FileSystem.standard.rename(part.path, to: target.path)
        } catch let error as FileError {
            throw EmbedderError(.badOutput, error.description)
        }
    }

    private func load(
        _ item: Item, _ path: String, into part: URL, _ client: HTTPClient,
        _ progress: @Sendable (Int) -> Void
    ) async throws {
        let file = try FileDescriptor(part.path, O_WRONLY | O_CREAT)
        guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
            throw EmbedderError(.badOutput, "another process is fetching \(item.path) into the same folder")
        }
        var size = try FileManager.default.attributesOfItem(atPath: part.path)[.size] as? Int ?? 0
        if size > item.length { size = 0 }
        if size == item.length, size > 0 { return }
        var request = request(path)
        if size > 0 { request.headers.add(name: "Range", value: "bytes=\(size)-") }
        let response = try await client.execute(request, deadline: .distantFuture)
        switch response.status.code {
        case 206:
            // A server may answer with another range than was asked for: then from the beginning.
            guard response.headers.first(name: "Content-Range")?.hasPrefix("bytes \(size)-") == true else {
                try file.truncate(to: 0)
                throw EmbedderError(
                    .badAnswer, "\(place) gives another part of \(item.path)", isRetryable: true)
            }
        case 200: size = 0
        case 416:
            try file.truncate(to: 0)
            throw EmbedderError(.badAnswer, "\(place) gives no part of \(item.path)", isRetryable: true)
        default: throw refusal(response.status.code, item.path)
        }
        try file.truncate(to: size)
        lseek(file.raw, off_t(size), SEEK_SET)
        for try await buffer in response.body {
            size += buffer.readableBytes
            guard size <= item.length else {
                try file.truncate(to: 0)
                throw EmbedderError(.badAnswer, "\(place) gives more of \(item.path) than it states")
            }
            try buffer.readableBytesView.withUnsafeBytes { try file.write($0) }
            progress(size)
        }
        guard size == item.length else {
            throw EmbedderError(
                .unavailable, "\(place) stopped in the middle of \(item.path)", isRetryable: true)
        }
        try file.synchronize()
    }

    /// Whether a file is there, whole, and has the checksum that the hub states.
    private static func matches(_ url: URL, _ item: Item) throws -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes?[.size] as? Int == item.length else { return false }
        let file: MappedFile
        do {
            file = try MappedFile(url)
        } catch {
            return false
        }
        if let large = item.lfs {
            return hexadecimal(SHA256.hash(data: file.bytes)) == large.oid.lowercased()
        }
        var hash = Insecure.SHA1()
        hash.update(data: Data("blob \(item.length)\0".utf8))
        hash.update(data: file.bytes)
        return hexadecimal(hash.finalize()) == item.oid.lowercased()
    }

    private static func hexadecimal(_ digest: some Sequence<UInt8>) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
