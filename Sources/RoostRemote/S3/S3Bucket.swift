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
    /// The environment variables. Only those that configure proxies, such as `https_proxy`, are kept.
    public var environment: [String: String] = [:] {
        didSet { environment = environment.proxySettings }
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
        guard region.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil else {
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
        name.wholeMatch(of: /[A-Za-z0-9_-][A-Za-z0-9._-]{1,253}[A-Za-z0-9_-]/) != nil && !name.contains("..")
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

/// The credentials for an S3-compatible object store.
public struct S3Credentials: Sendable {
    /// The id of the access key.
    public var accessKey: String
    /// The secret that belongs to the access key.
    public var secretKey: Secret
    /// The session token of temporary credentials.
    public var sessionToken: Secret?

    /// Creates credentials.
    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
    }

    /// Returns the credentials that Amazon's own tools would use.
    ///
    /// They are read from the environment variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
    /// `AWS_SESSION_TOKEN` or, if these are not set, from the profile `AWS_PROFILE` (by default `default`) in
    /// the file `AWS_SHARED_CREDENTIALS_FILE` (by default `~/.aws/credentials`).
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - home: The user's home folder.
    /// - Returns: `nil` if there are no credentials.
    public static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        home: URL = FileManager.default.homeDirectoryForCurrentUser
    ) -> S3Credentials? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let key = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") {
            return S3Credentials(key, secret, value("AWS_SESSION_TOKEN"))
        }
        let path = value("AWS_SHARED_CREDENTIALS_FILE")
        let file = path.map { URL(fileURLWithPath: $0) } ?? home.appendingPathComponent(".aws/credentials")
        let profile = AWSProfile(value("AWS_PROFILE") ?? "default", in: file)
        guard let key = profile["aws_access_key_id"], let secret = profile["aws_secret_access_key"]
        else { return nil }
        return S3Credentials(key, secret, profile["aws_session_token"])
    }

    private init?(_ key: String, _ secret: String, _ token: String?) {
        guard let secretKey = Secret(secret), let accessKey = Secret(key) else { return nil }
        self.init(accessKey: accessKey.text, secretKey: secretKey, sessionToken: token.flatMap { Secret($0) })
    }
}

/// A profile in a configuration file of Amazon's tools, such as `~/.aws/credentials` or `~/.aws/config`.
package struct AWSProfile: Sendable {
    private var values: [String: String] = [:]

    /// - Parameter file: The file; if it cannot be read, the profile is empty.
    package init(_ name: String, in file: URL) {
        guard let data = FileManager.default.contents(atPath: file.path), data.count < 1 << 20 else { return }
        var isSelected = false
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                let section = text[text.index(after: text.startIndex)..<end].split(separator: " ")
                isSelected = section == [name[...]] || section == ["profile", name[...]]
            } else if isSelected, !line.hasPrefix(" "), !text.hasPrefix("#"), !text.hasPrefix(";"),
                let equals = text.firstIndex(of: "=")
            {
                let key = text[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
                values[key] = text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// Returns the value of a key, given in lowercase; `nil` if the value is missing or empty.
    package subscript(key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }
}
