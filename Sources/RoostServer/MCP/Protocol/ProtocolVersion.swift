import RoostModel

/// A revision of the Model Context Protocol.
///
/// Source: the published schemas of the revisions (modelcontextprotocol/modelcontextprotocol).
package enum ProtocolVersion: String, Sendable, CaseIterable, Comparable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The newest revision that a client can negotiate with `initialize`.
    package static let newestNegotiated = november2025

    /// The supported revisions, newest first.
    package static var supported: [JSONValue] { allCases.reversed().map { .string($0.rawValue) } }

    /// Whether every request is self-contained: it carries the revision and the client's capabilities, and
    /// there is no `initialize`.
    package var isStateless: Bool { self >= .july2026 }
    /// Whether several messages can be sent as an array. Only one revision has this feature.
    package var allowsBatches: Bool { self == .march2025 }
    /// Whether tools have annotations.
    var hasAnnotations: Bool { self >= .march2025 }
    /// Whether tools have titles and output schemas, and results have structured content.
    var hasStructuredContent: Bool { self >= .june2025 }

    // The raw values are dates, whose lexicographic order is their order in time.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
