public import Foundation
import RoostModel

/// Where a model is asked over HTTP, and how: an endpoint in the manner of OpenAI's `/v1/embeddings` or
/// `/v1/chat/completions`, which Ollama, llama.cpp and vLLM have too.
///
/// Comes from the user's own configuration, never from a store.
public struct RemoteModel: Sendable {
    /// The address up to and without `/embeddings` or `/chat/completions`, such as
    /// `http://localhost:11434/v1`.
    public var endpoint: URL
    /// The model's name there.
    public var name: String
    /// Sent as a bearer token.
    public var key: Secret?
    /// What is put before a query's and a document's text.
    public var queryPrefix = ""
    public var documentPrefix = ""
    /// How many texts a request has at most.
    public var batchSize = 64
    /// How many requests are under way at a time.
    public var concurrency = 4
    /// Words that one vector should take in at most; the splitter makes passages of that size.
    public var maximumWords = 200
    /// How long one request may take.
    public var timeout: Duration = .seconds(60)
    /// How often a request is tried that fails for a passing reason.
    public var attempts = 6
    /// The longest wait between two tries.
    public var longestWait: Duration = .seconds(30)
    /// Where `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are looked up; nothing else of it is
    /// kept.
    public var environment: [String: String] = [:] {
        didSet { environment = environment.filter { $0.key.lowercased().hasSuffix("_proxy") } }
    }

    /// - Throws: ``EmbedderError`` with `.configuration` for an address that is none, or a key that would go
    ///   to another machine unencrypted.
    public init(endpoint: String, name: String, key: Secret? = nil) throws {
        func unusable(_ why: String) -> EmbedderError {
            EmbedderError(.configuration, "the endpoint of remote models \(why)")
        }
        guard let url = URL(string: endpoint), let host = url.host, !host.isEmpty,
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw unusable("is no http or https address") }
        guard url.user == nil, url.password == nil, url.query == nil, url.fragment == nil else {
            throw unusable(
                "has a user, a password or a query in it; only scheme, host, port and path may stand there")
        }
        guard scheme == "https" || key == nil || Self.isLoopback(host) else {
            throw unusable("is http on another machine, which would send the key unencrypted; use https")
        }
        guard !name.isEmpty else {
            throw EmbedderError(.configuration, "the remote model has no name")
        }
        let path = ["/embeddings", "/chat/completions"].first { endpoint.hasSuffix($0) } ?? ""
        let trimmed = String(endpoint.dropLast(path.count))
        guard let base = URL(string: trimmed.hasSuffix("/") ? String(trimmed.dropLast()) : trimmed) else {
            throw unusable("is no http or https address")
        }
        self.endpoint = base
        self.name = name
        self.key = key
    }

    static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return host == "localhost" || host == "::1" || host == "[::1]"
            || parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }
}

/// A text that is never printed.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    /// - Parameter text: surrounding white space, which files end with, does not count.
    public init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        // A control character would let whoever wrote it add headers.
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ $0 > 31 && $0 < 127 }) else { return nil }
        self.text = trimmed
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
