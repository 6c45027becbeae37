public import Foundation

/// Who asks an object store.
public struct S3Credentials: Sendable {
    public var accessKey: String
    public var secretKey: Secret
    /// Of credentials that last for some hours only.
    public var sessionToken: Secret?

    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        (self.accessKey, self.secretKey, self.sessionToken) = (accessKey, secretKey, sessionToken)
    }

    /// What Amazon's own tools would use: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
    /// `AWS_SESSION_TOKEN`, else the profile `AWS_PROFILE` (`default`) of `AWS_SHARED_CREDENTIALS_FILE`
    /// (`~/.aws/credentials`).
    ///
    /// - Returns: `nil` where there are none.
    public static func found(
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

/// A section of a file of Amazon's tools.
public struct AWSProfile: Sendable {
    private var values: [String: String] = [:]

    /// - Parameters:
    ///   - name: in `~/.aws/config` sections but the default one are called `profile NAME`; both are found.
    ///   - file: one that cannot be read has nothing in it.
    public init(_ name: String, in file: URL) {
        guard let data = FileManager.default.contents(atPath: file.path), data.count < 1 << 20 else { return }
        var isMine = false
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                let section = text[text.index(after: text.startIndex)..<end].split(separator: " ")
                isMine = section == [name[...]] || section == ["profile", name[...]]
            } else if isMine, !line.hasPrefix(" "), !text.hasPrefix("#"), !text.hasPrefix(";"),
                let equals = text.firstIndex(of: "=")
            {
                let key = text[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
                values[key] = text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    public subscript(key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }
}
