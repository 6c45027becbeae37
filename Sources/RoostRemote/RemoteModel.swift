public import Foundation
import RoostModel

/// The address and settings of a model behind an HTTP API like OpenAI's `/v1/embeddings` or
/// `/v1/chat/completions`.
///
/// These settings must come from the user's own configuration, never from a store, because texts and the key
/// are sent to the address.
public struct RemoteModel: Sendable {
    /// The base address, without `/embeddings` or `/chat/completions`, such as `http://localhost:11434/v1`.
    public var endpoint: URL
    /// The name of the model on the server.
    public var name: String
    /// The API key, which is sent as a bearer token.
    public var key: Secret?
    /// The text that the model expects in front of queries.
    public var queryPrefix = ""
    /// The text that the model expects in front of documents.
    public var documentPrefix = ""
    /// The maximum number of texts in a request. A number below 1 is treated as 1.
    public var batchSize = 64
    /// The maximum number of concurrent requests. A number below 1 is treated as 1.
    public var concurrency = 4
    /// The maximum number of words in a passage, which must fit into the window of the model: servers can
    /// truncate longer texts without reporting it.
    public var maximumWords = 200
    /// The maximum duration of a request, at most a year.
    public var timeout: Duration = .seconds(60)
    /// The maximum number of attempts for a request whose failures are transient. A number below 1 is treated
    /// as 1.
    public var attempts = 6
    /// The maximum delay between two attempts.
    public var maximumDelay: Duration = .seconds(30)
    /// The environment variables. Only `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are kept.
    public var environment: [String: String] = [:] {
        didSet { environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") } }
    }

    /// Creates the settings of a model.
    ///
    /// - Parameters:
    ///   - endpoint: An http or https address; a trailing `/embeddings` or `/chat/completions` is removed.
    ///   - name: The name of the model on the server.
    ///   - key: The API key.
    /// - Throws: `EmbedderError` with `.configuration` if the address is invalid, or if the key would be
    ///   sent to another machine without encryption.
    public init(endpoint: String, name: String, key: Secret? = nil) throws {
        func unusable(_ fault: String) -> EmbedderError {
            EmbedderError(.configuration, "invalid endpoint of the remote model: it \(fault)")
        }
        guard let url = URL(string: endpoint), let host = url.host, !host.isEmpty,
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw unusable("is not an http or https address") }
        guard url.user == nil, url.password == nil, url.query == nil, url.fragment == nil else {
            throw unusable(
                "contains a user, a password, a query or a fragment; only scheme, host, port and path are "
                    + "allowed")
        }
        guard scheme == "https" || key == nil || HTTPProxy.isLoopback(host) else {
            throw unusable("uses http to another machine, which would send the key unencrypted; use https")
        }
        guard !name.isEmpty else {
            throw EmbedderError(.configuration, "the name of the remote model is empty")
        }
        let path = ["/embeddings", "/chat/completions"].first { endpoint.hasSuffix($0) } ?? ""
        let trimmed = String(endpoint.dropLast(path.count))
        guard let base = URL(string: trimmed.hasSuffix("/") ? String(trimmed.dropLast()) : trimmed) else {
            throw unusable("is not an http or https address")
        }
        self.endpoint = base
        self.name = name
        self.key = key
    }
}

/// A secret text, such as an API key. Its descriptions and its mirror do not reveal the text.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    /// Creates a secret.
    ///
    /// - Parameter text: Printable ASCII. Surrounding white space, such as the line feed at the end of a
    ///   file, is removed.
    /// - Returns: `nil` if the text is empty or contains other characters.
    public init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        // A line feed would allow the injection of HTTP headers.
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ $0 > 31 && $0 < 127 }) else { return nil }
        self.text = trimmed
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
