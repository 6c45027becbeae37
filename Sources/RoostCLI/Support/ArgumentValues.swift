import ArgumentParser
import Foundation
import RoostModel

enum ArgumentCheck {
    /// The options for which an empty value is meaningful: it replaces a default that is not empty.
    private static let optionsWithEmptyValue: Set<String> = ["--query-prefix", "--document-prefix"]

    /// Checks that no argument is empty. An empty path would name the current folder, and an empty filter
    /// every entry, when a script uses a variable that is not set.
    static func requireNonemptyValues(_ arguments: [String]) throws {
        for (index, argument) in arguments.enumerated() {
            let name = argument.isEmpty ? arguments[max(0, index - 1)] : String(argument.dropLast())
            let isEmpty =
                argument.isEmpty
                || argument.hasPrefix("--") && argument.hasSuffix("=") && !name.contains("=")
            guard isEmpty, !optionsWithEmptyValue.contains(name) else { continue }
            throw CommandError(
                .usage,
                "argument \(index + 1) is empty or has an empty value; if it comes from a variable of your "
                    + "shell, check that the variable is set")
        }
    }

    /// Checks that all arguments of the process are valid UTF-8. Swift replaces invalid bytes, so that a
    /// command would store or search for another text than the given one.
    static func requireValidUTF8() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            throw CommandError(.badData, "argument \(index) is not valid UTF-8")
        }
    }
}

enum KeyValue {
    static func parse(_ pairs: [String], option: String) throws -> [(key: String, value: String)] {
        try pairs.map { pair in
            guard let separator = pair.firstIndex(of: "="), separator != pair.startIndex else {
                throw CommandError(
                    .usage, "\(option) must have the form key=value, not '\(Terminal.line(pair, limit: 60))'")
            }
            return (String(pair[..<separator]), String(pair[pair.index(after: separator)...]))
        }
    }
}

enum TagArgument {
    /// Returns the tag that an argument names: the text without one leading `#`, with which people copy tags
    /// from their notes, and with one space in place of each run of white space.
    static func tag(_ text: String) -> String {
        let tag = text.hasPrefix("#") && text != "#" ? String(text.dropFirst()) : text
        return TagName.isValid(tag) ? TagName.spelling(of: tag) ?? tag : tag
    }

    static func argument(_ tag: String) -> String { tag.hasPrefix("#") ? "#" + tag : tag }

    /// Throws an error if a tag is empty, or contains control characters, which a list of tags on one line
    /// could not show.
    static func check(_ tags: [String], name: String = "--tag") throws {
        guard tags.allSatisfy({ $0.hasControlCharacters || TagName.spelling(of: $0) != nil }) else {
            throw ValidationError("\(name) must not be empty")
        }
        guard tags.allSatisfy(TagName.isValid) else {
            throw ValidationError("\(name) must be one line without control characters")
        }
    }
}

extension String {
    fileprivate var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

enum ByteCount {
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
}
