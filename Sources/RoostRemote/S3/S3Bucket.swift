public import Foundation
import RoostChunks

/// A place in an S3-compatible object store: a bucket, and what names in it begin with.
public struct S3Bucket: Sendable {
    public var name: String
    /// What all names of objects begin with, without a slash at its end; empty for the whole bucket.
    public var prefix: String
    /// The server; `nil` for Amazon's in the region.
    public var endpoint: URL?
    public var region: String
    public var credentials: S3Credentials
    /// How long one request may be without an answer.
    public var timeout: Duration = .seconds(60)
    /// How often a request is tried that fails for a passing reason.
    public var attempts = 6
    /// The longest wait between two tries.
    public var longestWait: Duration = .seconds(20)
    /// Objects of more bytes are written in parts of so many (at least 5 MiB, as S3 has it).
    public var partSize = 16 << 20
    /// An object of more bytes is not read: what is read lies in memory.
    public var largestObject = 4 << 30
    /// Where `https_proxy` and the like are looked up.
    public var environment: [String: String] = [:] {
        didSet { environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") } }
    }

    /// - Parameters:
    ///   - address: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    ///   - endpoint: `nil` for Amazon's.
    /// - Throws: ``ChunkStorageError/invalidPath(_:)`` for another address, or an endpoint that is no http or
    ///   https address.
    public init(
        _ address: String, endpoint: String? = nil, region: String = "us-east-1", credentials: S3Credentials
    ) throws {
        guard address.lowercased().hasPrefix("s3://") else { throw ChunkStorageError.invalidPath(address) }
        let parts = address.dropFirst(5).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false
        ).map(String.init)
        let prefix = parts.count > 1 ? parts[1].trimmingCharacters(in: ["/"]) : ""
        guard let name = parts.first, Self.isBucketName(name) else {
            throw ChunkStorageError.invalidPath(address)
        }
        if !prefix.isEmpty { try ChunkPath.check(prefix) }
        if let endpoint {
            guard let url = URL(string: endpoint), let host = url.host, !host.isEmpty,
                ["http", "https"].contains(url.scheme?.lowercased() ?? ""), url.user == nil, url.query == nil,
                url.fragment == nil, ["", "/"].contains(url.path)
            else { throw ChunkStorageError.invalidPath(endpoint) }
            self.endpoint = url
        }
        guard !region.isEmpty, region.utf8.allSatisfy(Self.isNameByte) else {
            throw ChunkStorageError.invalidPath(region)
        }
        (self.name, self.prefix, self.region, self.credentials) = (name, prefix, region, credentials)
    }

    /// `s3://BUCKET/PREFIX`.
    public var address: String { "s3://\(name)" + (prefix.isEmpty ? "" : "/\(prefix)") }

    /// Whether what is sent can be read on the way: the server is another machine, and asked by http.
    public var isOverheard: Bool {
        guard let endpoint, let host = endpoint.host?.lowercased() else { return false }
        return endpoint.scheme?.lowercased() == "http" && !RemoteModel.isLoopback(host)
    }

    /// Amazon's rules for new buckets, and underscores, which older ones and other servers have.
    private static func isBucketName(_ name: String) -> Bool {
        (3...255).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasSuffix(".")
            && !name.contains("..") && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Where requests go: scheme, host with port, and the path before an object's name.
    ///
    /// Servers of one's own seldom have a name for each bucket, and no certificate is for a name with dots in
    /// it.
    var server: (base: String, host: String, path: String) {
        let isPathStyle = endpoint != nil || name.contains(".") || name.contains("_")
        let url = endpoint ?? URL(string: "https://s3.\(region).amazonaws.com")
        let scheme = url?.scheme?.lowercased() ?? "https"
        var host = url?.host ?? ""
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        if let port = url?.port, port != (scheme == "https" ? 443 : 80) { host += ":\(port)" }
        if !isPathStyle { host = "\(name).\(host)" }
        return ("\(scheme)://\(host)", host, isPathStyle ? "/\(name)" : "")
    }
}
