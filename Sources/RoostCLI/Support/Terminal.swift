import Foundation
import Roost

/// Writes results to standard output and everything else to standard error; styles text on terminals only.
enum Terminal {
    /// The maximum number of items, such as problems of a file, that a message lists.
    static let maximumListedItems = 20

    static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
    static let isErrorTerminal = isatty(STDERR_FILENO) == 1
    private static let usesColor =
        isOutputTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

    /// The number of columns of the terminal on standard output; `nil` if standard output is not a terminal.
    static let columns: Int? = {
        guard isOutputTerminal else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
    }()

    /// Whether standard output is a terminal with a UTF-8 locale.
    static let showsUnicode: Bool = {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let encoding = (locale ?? "").lowercased()
        return isOutputTerminal && (encoding.contains("utf-8") || encoding.contains("utf8"))
    }()

    static func write(_ text: String) { write(Data((text + "\n").utf8)) }

    /// Writes the contents of a file: unchanged to files and pipes, without control characters to a terminal.
    static func show(_ document: Data) {
        guard isatty(STDOUT_FILENO) != 0 else { return write(document) }
        write(safe(String(decoding: document, as: UTF8.self), keepingLines: true))
    }

    static func write(_ data: Data) {
        // If the reader of a pipe exits, SIGPIPE ends this process without a message.
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress!, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                // The parent process, or an HTTP client in this one, may have set the signal to be ignored.
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                Failure.exit(with: CommandError(.inputOutput, "cannot write the output: \(reason)"))
            }
        }
    }

    /// Writes a line to standard error.
    static func error(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    static func bold(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    static func dim(_ text: String) -> String { usesColor ? "\u{1B}[2m\(text)\u{1B}[0m" : text }

    /// Writes a value as JSON to standard output.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        write(try encoder.encode(value) + Data("\n".utf8))
    }

    /// Returns a user's text on one line, shortened to at most `limit` characters and without control
    /// characters.
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

    /// Returns a snippet of a text on one line, with the matched words in bold.
    static func excerpt(_ snippet: Snippet, of content: String) -> String {
        let utf8 = Array(content.utf8)
        func part(_ range: Range<Int>) -> String {
            let text = String(decoding: utf8[range], as: UTF8.self)
            let shown = line(text, limit: .max)
            // `line` removes surrounding white space, so keep one space next to a marked word.
            let (before, after) = (text.first?.isWhitespace == true, text.last?.isWhitespace == true)
            return shown.isEmpty ? (before ? " " : "") : (before ? " " : "") + shown + (after ? " " : "")
        }
        var result = ""
        var end = snippet.utf8Range.lowerBound
        for mark in snippet.highlights {
            result += part(end..<mark.lowerBound) + bold(part(mark))
            end = mark.upperBound
        }
        result += part(end..<snippet.utf8Range.upperBound)
        let isCut = (snippet.utf8Range.lowerBound > 0, snippet.utf8Range.upperBound < utf8.count)
        result = result.trimmingCharacters(in: .whitespaces)
        return (isCut.0 ? "…" : "") + result + (isCut.1 ? "…" : "")
    }

    /// Returns a user's text with control characters and bidirectional overrides replaced: on a terminal,
    /// they could hide or forge output.
    ///
    /// - Parameter keepingLines: Whether to keep `\n` and `\t`.
    static func safe(_ text: String, keepingLines: Bool = false) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isKept = keepingLines && (scalar == "\n" || scalar == "\t")
                    let isBidirectionalControl =
                        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                    let isControl =
                        scalar.properties.generalCategory == .control || isBidirectionalControl
                    return isControl && !isKept ? "\u{FFFD}" : scalar
                }))
    }

    /// Returns a similarity or score with three decimal places.
    static func score(_ value: Float) -> String { String(format: "%.3f", Double(value)) }
}
