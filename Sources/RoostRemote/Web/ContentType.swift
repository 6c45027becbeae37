import Foundation

/// The value of a `Content-Type` header.
struct ContentType {
    /// The media type in lowercase letters; `nil` if the header states none.
    var mediaType: String?
    /// The value of the parameter `charset`.
    var encodingName: String?

    /// Parses a header's value.
    init(_ text: String) {
        let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        mediaType = parts.first.flatMap { $0.contains("/") ? $0.lowercased() : nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("charset=") {
            let value = part.dropFirst("charset=".count).trimmingCharacters(
                in: CharacterSet(charactersIn: "\"' "))
            encodingName = value.isEmpty ? nil : value
        }
    }
}
