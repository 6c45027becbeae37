import Foundation
import Roost
import RoostRemote

/// Object stores as the environment and the user's settings have them, named as Amazon's own tools name
/// them.
struct BucketSettings {
    private let environment = ProcessInfo.processInfo.environment
    private let settings: UserConfiguration

    init() throws { settings = try UserConfiguration(UserPlaces().configurationFile) }

    /// - Parameter address: `s3://BUCKET/PREFIX`.
    func bucket(_ address: String) throws -> S3Bucket {
        guard let credentials = S3Credentials.found(environment: environment) else {
            throw CommandError(
                .configuration,
                "no credentials for \(Self.shown(address)) are set; set AWS_ACCESS_KEY_ID and "
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
                .usage, "'\(Self.shown(address))' is no address of the form s3://BUCKET/PREFIX")
        }
    }

    private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    static func check(endpoint: String) throws {
        guard (try? probe(endpoint: endpoint)) != nil else {
            throw CommandError(
                .configuration,
                "'\(shown(endpoint))' is no endpoint of an object store; it takes "
                    + "http:// or https:// with a host and a port, and nothing after")
        }
    }

    static func check(region: String) throws {
        guard (try? probe(region: region)) != nil else {
            throw CommandError(
                .configuration,
                "'\(Terminal.line(region, limit: 80))' is no region of an object store, as eu-north-1 is")
        }
    }

    /// Without what stands before an @, which may be a password.
    private static func shown(_ text: String) -> String {
        Terminal.line(text.contains("@") ? "…@" + (text.split(separator: "@").last ?? "") : text, limit: 80)
    }

    private static func probe(endpoint: String? = nil, region: String = "us-east-1") throws -> S3Bucket? {
        guard let secret = Secret("x") else { return nil }
        return try S3Bucket(
            "s3://probe", endpoint: endpoint, region: region,
            credentials: S3Credentials(accessKey: "x", secretKey: secret))
    }
}
