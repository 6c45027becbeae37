import Foundation
import Roost

/// What people see: results on standard output, everything else on standard error, colours on a terminal
/// only.
enum Terminal {
    static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    static let isErrorTerminal = isatty(STDERR_FILENO) == 1
    private static let usesColour =
        isOutputTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

    static func write(_ text: String) { write(Data((text + "\n").utf8)) }

    /// A file of somebody's: as it is for programs and files, without what a terminal would obey for people.
    static func show(_ document: Data) {
        guard isatty(STDOUT_FILENO) != 0 else { return write(document) }
        write(safe(String(decoding: document, as: UTF8.self), keepingLines: true))
    }

    static func write(_ data: Data) {
        // A closed pipe ends the process by SIGPIPE, quietly.
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress!, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                // Whoever started this process, or an HTTP client in it, has the signal ignored.
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                Failure.exit(with: CommandError(.inputOutput, "cannot write the output: \(reason)"))
            }
        }
    }

    static func error(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    static func bold(_ text: String) -> String { usesColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    static func dim(_ text: String) -> String { usesColour ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        write(try encoder.encode(value) + Data("\n".utf8))
    }

    /// Text of a user's on one line, bounded, without control characters that would move the cursor.
    static func line(_ text: String, limit: Int = 160) -> String {
        var result = ""
        var count = 0
        var isSpace = false
        for character in text {
            if count >= limit { return result + "…" }
            if character.isWhitespace
                || character.unicodeScalars.allSatisfy({ $0.properties.generalCategory == .control })
            {
                isSpace = !result.isEmpty
                continue
            }
            if isSpace { result += " " }
            isSpace = false
            result.append(character)
            count += 1
        }
        return result
    }

    /// A piece of a text on one line, the words that were asked for in bold.
    static func excerpt(_ snippet: Snippet, of content: String) -> String {
        let utf8 = Array(content.utf8)
        func piece(_ range: Range<Int>) -> String {
            let text = String(decoding: utf8[range], as: UTF8.self)
            let shown = line(text, limit: .max)
            // Between words, what is around a mark is not to be run into it.
            let (before, after) = (text.first?.isWhitespace == true, text.last?.isWhitespace == true)
            return shown.isEmpty ? (before ? " " : "") : (before ? " " : "") + shown + (after ? " " : "")
        }
        var result = ""
        var end = snippet.utf8Range.lowerBound
        for mark in snippet.marks {
            result += piece(end..<mark.lowerBound) + bold(piece(mark))
            end = mark.upperBound
        }
        result += piece(end..<snippet.utf8Range.upperBound)
        let isCut = (snippet.utf8Range.lowerBound > 0, snippet.utf8Range.upperBound < utf8.count)
        result = result.trimmingCharacters(in: .whitespaces)
        return (isCut.0 ? "…" : "") + result + (isCut.1 ? "…" : "")
    }

    /// Text of a user's as it is, but for control characters, which would move the cursor or more, and those
    /// that turn the direction of what follows; `\n` and `\t` may be kept.
    static func safe(_ text: String, keepingLines: Bool = false) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isKept = keepingLines && (scalar == "\n" || scalar == "\t")
                    let turns =
                        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                    let isControl = scalar.properties.generalCategory == .control || turns
                    return isControl && !isKept ? "\u{FFFD}" : scalar
                }))
    }

    static func score(_ value: Float) -> String { String(format: "%.3f", Double(value)) }
}
