import RoostAuthorization

/// The path under which clients reach a server behind a reverse proxy, such as `/roost`.
///
/// A proxy can remove the path from the requests that it forwards, or not: the server answers both. All paths
/// in its answers begin with the base path.
package struct BasePath: Sendable, Hashable {
    /// The base path without a slash at its end; empty if clients reach the server at the root of its
    /// address.
    package let text: String

    /// The base path of a server at the root of its address.
    package static let root = BasePath(unchecked: "")

    private init(unchecked text: String) { self.text = text }

    /// Creates a base path. A slash at its end has no meaning.
    ///
    /// - Returns: `nil` if the text does not begin with a slash, has an empty segment, `.` or `..`, or
    ///   contains characters other than letters, digits and -._~ of ASCII.
    package init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        var segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if segments.last?.isEmpty == true { segments.removeLast() }
        let isValid = segments.allSatisfy { segment in
            !segment.isEmpty && segment != "." && segment != ".."
                && segment.utf8.allSatisfy { Self.isPlain($0) }
        }
        guard isValid else { return nil }
        self.text = segments.map { "/\($0)" }.joined()
    }

    /// The beginning of the path, such as `/api`, if paths of operations have the same; otherwise `nil`.
    ///
    /// With such a base path, the same request could name two operations: `/api/embed` is `/embed` below
    /// `/api`, but also the operation `/api/embed` after a proxy has removed the base path.
    package var reservedBeginning: String? {
        guard let first = text.split(separator: "/").first else { return nil }
        let isReserved = APIServer.routes.contains { $0.path.split(separator: "/").first == first }
        return isReserved ? "/\(first)" : nil
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    /// Returns the path of an operation in an answer.
    ///
    /// - Parameter path: The path of the operation, which begins with a slash.
    package func appending(_ path: String) -> String { text + path }

    /// Returns the path of the operation that a request names. A path without the base path is that of the
    /// operation itself.
    func removed(from path: String) -> String {
        guard !text.isEmpty else { return path }
        if let rest = Self.suffix(of: path, after: text) { return rest.isEmpty ? "/" : rest }
        // Clients insert the name of the metadata before the path of the resource (RFC 9728, section 3.1).
        let metadata = ProtectedResource.metadataPath
        if let rest = Self.suffix(of: path, after: metadata + text) { return metadata + rest }
        return path
    }

    /// Returns what follows the beginning of a path, which ends with a segment; `nil` for another beginning.
    private static func suffix(of path: String, after beginning: String) -> String? {
        guard path.utf8.starts(with: beginning.utf8) else { return nil }
        // A character of the path can begin in the last one of the beginning.
        let rest = path.utf8.dropFirst(beginning.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") ? String(decoding: rest, as: UTF8.self) : nil
    }
}
