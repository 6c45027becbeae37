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
        do {
            var bucket = try S3Bucket(
                address, endpoint: endpoint, region: region, credentials: credentials)
            bucket.environment = environment
            return bucket
        } catch is ChunkStorageError {
            throw CommandError(
                .configuration,
                "cannot use the bucket \(Self.redacted(address)) at \(Self.redacted(endpoint ?? region)); "
                    + "the address must have the form s3://BUCKET/PREFIX, the endpoint must be an http or https "
                    + "address without a path, and the region a name such as eu-north-1")
        }
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns an address for use in messages, without the part before an `@`, which may contain a password.
    private static func redacted(_ text: String) -> String {
        Terminal.line(text.contains("@") ? "…@" + (text.split(separator: "@").last ?? "") : text, limit: 80)
    }
}
