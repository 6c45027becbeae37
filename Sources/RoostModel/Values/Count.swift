/// Writes counts with the singular or plural form of a noun, for messages.
package enum Count {
    /// Returns a count and a noun, such as `1 entry` or `2 entries`.
    ///
    /// - Parameters:
    ///   - singular: The noun for a count of 1; a verb can follow it.
    ///   - plural: The noun for other counts; `nil` if it is the singular with an `s`.
    package static func text(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
    }
}
