package import Foundation

/// A profile in a configuration file of Amazon's tools, such as `~/.aws/credentials` or `~/.aws/config`.
package struct AWSProfile: Sendable {
    private var values: [String: String] = [:]

    /// Reads a profile.
    ///
    /// - Parameters:
    ///   - file: The file; if it cannot be read, the profile is empty.
    package init(_ name: String, in file: URL) {
        guard let data = FileManager.default.contents(atPath: file.path), data.count < 1 << 20 else { return }
        var isSelected = false
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                let section = text[text.index(after: text.startIndex)..<end].split(separator: " ")
                isSelected = section == [name[...]] || section == ["profile", name[...]]
            } else if isSelected, !line.hasPrefix(" "), !text.hasPrefix("#"), !text.hasPrefix(";"),
                let equals = text.firstIndex(of: "=")
            {
                let key = text[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
                values[key] = text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// Returns the value of a key, given in lowercase; `nil` if the value is missing or empty.
    package subscript(key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }
}
