import Foundation

/// The media types that a client accepts, as the header field `Accept` names them (RFC 9110, section 12.5.1).
struct MediaRanges: Sendable {
    /// The weight of each range, such as `text/*`. Types are compared without regard to case.
    private var weights: [String: Double] = [:]

    /// Creates the ranges of a field; every type is accepted without a field.
    init(_ field: String?) {
        for range in (field ?? "*/*").split(separator: ",") {
            let parts = range.split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            weights[type] = max(weights[type] ?? 0, weight ?? 1)
        }
    }

    /// Returns whether a type is accepted. The most specific range decides, and the weight 0 refuses a type.
    ///
    /// - Parameter type: A type in lower case, without parameters.
    func accept(_ type: String) -> Bool {
        let family = type.prefix { $0 != "/" } + "/*"
        return (weights[type] ?? weights[String(family)] ?? weights["*/*"] ?? 0) > 0
    }

    /// Returns whether a type is accepted by its name, and not only by a range that many types match.
    func name(_ type: String) -> Bool { (weights[type] ?? 0) > 0 }
}
