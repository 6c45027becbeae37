import Foundation

/// Writes counts with the singular or plural form of a noun.
enum Count {
    /// Returns a count and a noun, such as `1 entry` or `2 entries`.
    ///
    /// - Parameters:
    ///   - singular: The noun for a count of 1.
    ///   - plural: The noun for other counts; `nil` if it is the singular with an `s`.
    static func text(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
    }

    /// Returns a number with commas between groups of three digits.
    static func grouped(_ number: Int) -> String {
        number.formatted(.number.locale(Locale(identifier: "en_US")).grouping(.automatic))
    }
}
