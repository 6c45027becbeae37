import Foundation
import Roost
import RoostChunks
import RoostRemote

/// The settings for access to object stores, read from the environment variables and files of the AWS tools
/// and from the user's settings.
struct BucketSettings {
    private let environment = ProcessInfo.processInfo.environment
    private let settings: UserConfiguration

    init() throws { settings = try UserConfiguration(UserDirectories().configurationFile) }

    /// Returns the bucket at an address, with its credentials, endpoint and region.
    ///
    /// - Parameter address: `s3://BUCKET/PREFIX`.
    func bucket(_ address: String) throws -> S3Bucket {
        guard let credentials = S3Credentials.standard(environment: environment) else {
            throw CommandError(
                .configuration,
                "cannot open \(Self.redacted(address)): no credentials; set AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY, or write them to ~/.aws/credentials")
        }
        let file = value("AWS_CONFIG_FILE").map { URL(fileURLWithPath: $0) }
        let profile = AWSProfile(
            value("AWS_PROFILE") ?? "default",
            in: file
                ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".aws/config"))
        let endpoint =
            try value("AWS_ENDPOINT_URL_S3") ?? value("AWS_ENDPOINT_URL")
            ?? settings.value(of: "s3-endpoint") ?? profile["endpoint_url"]
        let region =
            try value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") ?? settings.value(of: "s3-region")
            ?? profile["region"] ?? "us-east-1"
        if let endpoint { try Self.check(endpoint: endpoint) }
        try Self.check(region: region)
        do {
            var bucket = try S3Bucket(
                address, endpoint: endpoint, region: region, credentials: credentials)
            bucket.environment = environment
            return bucket
        } catch is ChunkStorageError {
            throw CommandError(
                .usage, "invalid address '\(Self.redacted(address))'; use the form s3://BUCKET/PREFIX")
        }
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Checks that a text is the URL of an S3 endpoint.
    static func check(endpoint: String) throws {
        guard (try? probe(endpoint: endpoint)) != nil else {
            throw CommandError(
                .configuration,
                "invalid S3 endpoint '\(redacted(endpoint))'; use http:// or https:// with a host and an "
                    + "optional port, without a path")
        }
    }

    /// Checks that a text is the name of an S3 region.
    static func check(region: String) throws {
        guard (try? probe(region: region)) != nil else {
            throw CommandError(
                .configuration,
                "invalid S3 region '\(Terminal.line(region, limit: 80))'; use a name such as eu-north-1")
        }
    }

    /// Returns an address for use in messages, without the part before an `@`, which may contain a password.
    private static func redacted(_ text: String) -> String {
        Terminal.line(text.contains("@") ? "…@" + (text.split(separator: "@").last ?? "") : text, limit: 80)
    }

    private static func probe(endpoint: String? = nil, region: String = "us-east-1") throws -> S3Bucket? {
        guard let secret = Secret("x") else { return nil }
        return try S3Bucket(
            "s3://probe", endpoint: endpoint, region: region,
            credentials: S3Credentials(accessKey: "x", secretKey: secret))
    }
}
