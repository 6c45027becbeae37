/// The reason why a JSON text cannot be read, for messages.
package enum JSONFault {
    /// Returns the reason why a text is not a JSON object with readable contents, as a clause for a message,
    /// such as `it is an array, not an object`.
    ///
    /// - Parameter fallback: The reason to return if the text is a valid object.
    package static func description(of data: some Collection<UInt8>, fallback: String) -> String {
        Array(data).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            guard reader.peek() != 0 else { return "it is empty" }
            do {
                // `JSONDecoder` reports some faults, such as half of a surrogate pair, with the wrong cause.
                let value = try MetadataValue(&reader, depth: 0)
                try reader.expectEnd()
                switch value {
                case .object: return fallback
                case .array: return "it is an array, not an object"
                default: return "it is a single value, not an object"
                }
            } catch {
                return "it is not valid JSON: \(error)"
            }
        }
    }
}
