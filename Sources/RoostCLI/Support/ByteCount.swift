import Foundation

/// Parses and formats sizes in bytes.
enum ByteCount {
    /// Parses a size such as `500MB` or `2GB`.
    ///
    /// - Returns: The size in bytes; `nil` for `none`.
    static func parse(_ text: String, option: String) throws -> Int? {
        if text.lowercased() == "none" { return nil }
        let digits = text.prefix { $0.isNumber || $0 == "." }
        let units = ["": 1.0, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12]
        let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
        guard let number = Double(digits), let factor = units[unit], number * factor >= 1_000_000,
            number * factor < 1e15
        else {
            throw CommandError(
                .usage,
                "\(option) must be a size of at least 1MB, such as 500MB or 2GB, or none; not "
                    + "'\(Terminal.line(text, limit: 40))'")
        }
        return Int(number * factor)
    }

    static func text(_ bytes: Int) -> String {
        if bytes < 1_000_000 { return "\((bytes + 999) / 1000) kB" }
        return String(format: "%.1f MB", Double(bytes) / 1e6)
    }

    static func ofFiles(in folder: URL) -> Int {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return (files?.allObjects as? [URL] ?? []).reduce(0) { sum, url in
            sum + ((try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0)
        }
    }
}
