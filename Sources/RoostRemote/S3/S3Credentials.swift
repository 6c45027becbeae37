public import Foundation

/// The credentials for an S3-compatible object store.
public struct S3Credentials: Sendable {
    /// The id of the access key.
    public var accessKey: String
    /// The secret that belongs to the access key.
    public var secretKey: Secret
    /// The session token of temporary credentials.
    public var sessionToken: Secret?

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - accessKey: The id of the access key.
    ///   - secretKey: The secret that belongs to the access key.
    ///   - sessionToken: The session token of temporary credentials.
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
