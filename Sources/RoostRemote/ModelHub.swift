public import Foundation
import HTTPTypes
import RoostFiles
import RoostModel

/// A client that downloads models from a server that provides the Hugging Face Hub API.
///
/// - `GET /api/models/REPO/tree/REVISION?recursive=true` lists the files, with sizes and checksums.
/// - `GET /REPO/resolve/REVISION/FILE` returns a file or redirects to it.
public struct ModelHub: Sendable {
    /// The address of the server.
    public let address: URL
    /// The bearer token. It is sent only to the server itself, not to hosts to which the server redirects.
    public let token: Secret?
    private let environment: [String: String]
    var attempts = 5
    /// The maximum time for the head of a response and for a pause in its body, and for a slow body.
    var timeout = Duration.seconds(60)
    /// The minimum speed of a download in bytes per second, on average. An aborted download is resumed by the
    /// next attempt.
    private static let minimumRate = 2000.0
    var pause = Duration.seconds(1)
    private static let maximumPause = Duration.seconds(10)

    /// The address of the Hugging Face Hub.
    public static let defaultAddress = "https://huggingface.co"

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: An http or https address.
    ///   - token: The bearer token for repositories that require one.
    ///   - environment: The environment variables. Only `http_proxy`, `https_proxy`, `all_proxy` and
    ///     `no_proxy` are used.
    /// - Throws: `EmbedderError` with `.configuration` if the address is invalid.
    public init(
        address: String = defaultAddress, token: Secret? = nil, environment: [String: String] = [:]
    ) throws {
        self.address = try RemoteModel(endpoint: address, name: "hub", key: token).endpoint
        self.token = token
        self.environment = environment.proxySettings
    }

    private struct Item: Decodable {
        struct LargeFile: Decodable {
            var oid: String
            var size: Int
        }
        var type: String
        var path: String
        var size: Int
        /// The id of the Git blob: the SHA-1 of `blob SIZE\0` and the contents.
        var oid: String
        /// For a file in Git LFS, the SHA-256 of its contents and its size.
        var lfs: LargeFile?

        var length: Int { lfs?.size ?? size }
    }

    /// Returns whether a name is a valid repository name: one or two components of ASCII letters, digits,
    /// `.`, `-` and `_`, separated by `/`.
    public static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // The Hugging Face Hub permits 96 characters.
        return (1...2).contains(parts.count)
            && parts.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]{0,95}/) != nil }
    }

    /// Downloads the files of a model into a folder.
    ///
    /// Existing files whose checksums match those of the hub are kept, and partial downloads are resumed. A
    /// file receives its final name only after it is complete and its checksum has been verified.
    ///
    /// - Parameters:
    ///   - name: The name of the repository, such as `sentence-transformers/all-MiniLM-L6-v2`.
    ///   - revision: The branch, tag or commit.
    ///   - files: The names of the files to download; files that the repository does not contain are skipped.
    ///   - folder: The destination; created if it does not exist.
    ///   - progress: Called with the number of downloaded bytes and the total number of bytes.
    /// - Throws: `EmbedderError`; `CancellationError`. Partial downloads are kept, so a later call resumes
    ///   them.
    @concurrent
    public func fetch(
        _ name: String, revision: String = "main", files: [String], into folder: URL,
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws {
        guard Self.isName(name), Self.isName(revision) else {
            throw EmbedderError(
                .configuration, "cannot download model: '\(name.prefix(80))' is not a valid name on a hub")
        }
        // The client drops the Authorization header when a redirect changes the host.
        var client = HTTPClient(pauseTimeout: timeout, proxy: HTTPProxy(for: address, environment))
        client.maximumRedirects = 5
        let items = try await items(of: name, revision, client).filter {
            $0.type == "file" && files.contains($0.path)
        }
        guard items.contains(where: { $0.path == "model.safetensors" }) else {
            throw EmbedderError(
                .unsupportedModel,
                "cannot download \(name): it has no model.safetensors, the only supported format")
        }
        let total = items.reduce(0) { $0 + $1.length }
        var completed = 0
        for item in items {
            let start = completed
            do {
                try await fetch(item, name, revision, into: folder, client) { progress(start + $0, total) }
            } catch let error as FileError {
                throw EmbedderError(.badOutput, error.description)
            }
            completed += item.length
        }
    }

    // MARK: Requests

    private func call(_ path: String) -> HTTPCall {
        var call = HTTPCall(.get, address.absoluteString + path)
        if let token { call.headers[.authorization] = "Bearer \(token.text)" }
        return call
    }

    /// The maximum size of a file in bytes, more than that of any model. Sums of sizes do not overflow.
    private static let maximumFileSize = 1 << 40

    private static let maximumListSize = 16 << 20

    private func items(of name: String, _ revision: String, _ client: HTTPClient) async throws -> [Item] {
        let call = call("/api/models/\(name)/tree/\(revision)?recursive=true")
        let answer = try await retrying {
            try await client.send(
                call, timeout: timeout, limit: BodyLimit(size: Self.maximumListSize, timeout: timeout))
        }
        guard answer.status == 200 else { throw refusal(answer.status, name) }
        let items: [Item]
        do {
            items = try JSONDecoder().decode([Item].self, from: answer.body)
        } catch {
            throw EmbedderError(.badAnswer, "invalid response from \(server): it is not a list of files")
        }
        guard items.allSatisfy({ (0...Self.maximumFileSize).contains($0.length) }) else {
            throw EmbedderError(
                .badAnswer, "invalid response from \(server): it states an impossible size of a file")
        }
        return items
    }

    private var server: String { "the hub at \(address.host ?? "")" }

    private func refusal(_ status: Int, _ object: String) -> EmbedderError {
        switch status {
        case 401, 403, 404:
            EmbedderError(
                .refused,
                "cannot download \(object): it does not exist on \(server), or access is denied "
                    + "(status \(status))")
        default:
            EmbedderError(
                .unavailable, "cannot download \(object): \(server) responded with status \(status)",
                isRetryable: status >= 500 || status == 429)
        }
    }

    private func retrying<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await RequestRetry(attempts: attempts, first: pause, maximum: Self.maximumPause).run { _ in
            do {
                return .done(try await body())
            } catch let error as EmbedderError {
                guard error.isRetryable else { throw error }
                return .failed(error)
            } catch let error as FileError {
                throw error
            } catch let error as NetworkFailure
                where [.missingLibrary, .insecure, .proxyAuthentication].contains(error.code)
            {
                throw EmbedderError(.configuration, "cannot reach \(server): \(error)")
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                let reason = (error as? NetworkFailure)?.description ?? "\(type(of: error))"
                return .failed(
                    EmbedderError(
                        .unavailable, "cannot reach \(server) (\(reason)); try again to resume the download",
                        isRetryable: true))
            }
        }
    }

    // MARK: Downloading one file

    private func fetch(
        _ item: Item, _ name: String, _ revision: String, into folder: URL, _ client: HTTPClient,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let target = folder.appendingPathComponent(item.path)
        if try await BlockingWork.run({ _ in Self.matches(target, item) }) { return progress(item.length) }
        try FileSystem.standard.createFolder(target.deletingLastPathComponent())
        let partialFile = target.appendingPathExtension("part")
        guard let file = try lock(partialFile, item) else {
            return try await fetch(item, name, revision, into: folder, client, progress: progress)
        }
        // The file stays locked between attempts and until it has its name. Otherwise, another process could take
        // the complete file over during the comparison.
        defer { withExtendedLifetime(file) {} }
        try await retrying {
            try await self.load(
                item, "/\(name)/resolve/\(revision)/\(item.path)", into: file, client, progress)
        }
        guard try await BlockingWork.run({ _ in Self.matches(partialFile, item) }) else {
            try? FileManager.default.removeItem(at: partialFile)
            throw EmbedderError(
                .badAnswer,
                "checksum mismatch: \(item.path) of \(name) does not match the checksum that \(server) "
                    + "states, and was deleted; try again")
        }
        try FileSystem.standard.rename(partialFile.path, to: target.path)
    }

    /// Opens a temporary file, which is locked until it is closed.
    ///
    /// - Returns: `nil` if another process has given the file its name, or has removed it.
    private func lock(_ partialFile: URL, _ item: Item) throws -> FileDescriptor? {
        let file = try FileDescriptor(partialFile.path, O_WRONLY | O_CREAT)
        guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
            throw EmbedderError(
                .badOutput,
                "cannot download \(item.path): another process is downloading it to the same folder")
        }
        // The process that held the lock may have renamed the file after it was opened here. Writing would
        // then change the complete file.
        return FileIdentity(partialFile) == FileIdentity(file) ? file : nil
    }

    /// Downloads a file to a temporary file, or continues a partial download.
    private func load(
        _ item: Item, _ path: String, into file: FileDescriptor, _ client: HTTPClient,
        _ progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        var size = try file.size()
        if size > item.length { size = 0 }
        if size == item.length, size > 0 { return }
        var call = call(path)
        if size > 0 { call.headers[.range] = "bytes=\(size)-" }
        let download = ModelDownload(item.path, item.length, file, existing: size, from: server)
        try await client.stream(
            call, timeout: timeout,
            limit: BodyLimit(size: .max, timeout: timeout, minimumRate: Self.minimumRate)
        ) { answer in
            try download.begin(answer) { refusal($0, item.path) }
        } body: { bytes in
            progress(try download.append(bytes))
        }
        size = download.size
        guard size == item.length else {
            throw EmbedderError(
                .unavailable,
                "\(server) closed the connection before the end of \(item.path); try again to resume the "
                    + "download", isRetryable: true)
        }
        try await BlockingWork.run { _ in try file.synchronize() }
    }

    private static func matches(_ url: URL, _ item: Item) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        // A file that cannot be read is downloaded again, which reports the reason if it persists.
        guard attributes?[.size] as? Int == item.length, let file = try? MappedFile(url) else { return false }
        defer { withExtendedLifetime(file) {} }
        if let large = item.lfs {
            return SHA256.hexadecimal(file.bytes) == large.oid.lowercased()
        }
        let header = Array("blob \(item.length)\0".utf8)
        let digest = header.withUnsafeBytes { SHA1.hash([$0, file.bytes]) }
        return Hexadecimal.text(digest) == item.oid.lowercased()
    }
}

/// A file that is being downloaded. `Sendable` is unchecked because only the thread of the HTTP client uses
/// it until the call has ended.
final class ModelDownload: @unchecked Sendable {
    private let name: String
    private let length: Int
    private let file: FileDescriptor
    private let server: String
    private let existing: Int
    private(set) var size: Int

    init(_ name: String, _ length: Int, _ file: FileDescriptor, existing: Int, from server: String) {
        (self.name, self.length, self.file, self.server) = (name, length, file, server)
        (self.existing, size) = (existing, existing)
    }

    func begin(_ answer: HTTPAnswer, refusal: (Int) -> EmbedderError) throws {
        switch answer.status {
        case 206:
            // If the server returns a different range from the one requested, the download starts again.
            guard answer.headers[.contentRange]?.hasPrefix("bytes \(existing)-") == true else {
                try file.truncate(to: 0)
                throw EmbedderError(
                    .badAnswer, "\(server) returned a different range of \(name) from the one requested",
                    isRetryable: true)
            }
        case 200: size = 0
        case 416:
            try file.truncate(to: 0)
            throw EmbedderError(
                .badAnswer, "\(server) rejected the requested range of \(name)", isRetryable: true)
        default: throw refusal(answer.status)
        }
        try file.truncate(to: size)
        lseek(file.raw, off_t(size), SEEK_SET)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        guard size + bytes.count <= length else {
            try file.truncate(to: 0)
            throw EmbedderError(.badAnswer, "\(server) sent more than the stated size of \(name)")
        }
        try file.write(bytes)
        size += bytes.count
        return size
    }
}
