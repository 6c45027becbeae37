public import Foundation
import RoostChunks

/// The address and settings of a bucket, or of a prefix in a bucket, of an S3-compatible object store.
public struct S3Bucket: Sendable {
    /// The name of the bucket.
    public var name: String
    /// The prefix of all object names, without a trailing slash; empty for the entire bucket.
    public var prefix: String
    /// The address of the server; `nil` for Amazon's server in ``region``.
    public var endpoint: URL?
    /// The region of the bucket. It is part of the signature of each request.
    public var region: String
    /// The credentials with which requests are signed.
    public var credentials: S3Credentials
    /// The maximum time until a response begins. Large uploads are given more time.
    public var timeout: Duration = .seconds(60)
    /// The maximum number of attempts for a request whose failures are transient.
    public var attempts = 6
    /// The maximum delay between two attempts.
    public var maximumDelay: Duration = .seconds(20)
    /// The maximum size in bytes of an object that can be read. An object is loaded into memory as a whole,
    /// and uploaded in one request, for which S3 permits 5 GB.
    public var maximumObjectSize = 4 << 30
    /// The environment variables. Only those that configure proxies, such as `https_proxy`, are kept.
    public var environment: [String: String] = [:] {
        didSet { environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") } }
    }

    /// Creates the settings of a bucket.
    ///
    /// - Parameters:
    ///   - address: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    ///   - endpoint: The http or https address of the server; `nil` for Amazon.
    ///   - region: The region of the bucket.
    ///   - credentials: The credentials with which requests are signed.
    /// - Throws: `ChunkStorageError/invalidPath(_:)` with the invalid argument.
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

    /// The address in the form `s3://BUCKET/PREFIX`.
    public var address: String { "s3://\(name)" + (prefix.isEmpty ? "" : "/\(prefix)") }

    /// Whether data travels over the network unencrypted, because the server is another machine and its
    /// address begins with `http:`.
    public var isUnencrypted: Bool {
        guard let endpoint, let host = endpoint.host?.lowercased() else { return false }
        return endpoint.scheme?.lowercased() == "http" && !HTTPProxy.isLoopback(host)
    }

    /// Returns whether a name follows Amazon's rules for new buckets. Underscores and uppercase letters are
    /// also accepted, because older buckets and other servers use them.
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

    /// The target of requests: scheme and host, the host with its port, and the part of the path that
    /// precedes the object name.
    ///
    /// The bucket is part of the host name only for Amazon. Other servers seldom have a DNS name for each
    /// bucket, and wildcard certificates do not cover bucket names that contain dots.
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
